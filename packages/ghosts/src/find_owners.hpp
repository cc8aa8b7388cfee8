#pragma once

#include <tridap/distribution.hpp>
#include <tridap/ghosts/ghosted_array.hpp>

#include <vector>

namespace tridap {

/// The ghosts of this process that one other process owns.
struct Wanted {
  Index process = 0;
  std::vector<Index> ghosts;  ///< positions among the ghosts of this process, ascending
  std::vector<Index> rows;    ///< for each, its index along axis 0 of the owner's local buffer
};

/// Finds the owners of the ghosts of `process`, without communication; ascending by process. Throws Error if an id is
/// no element of the array, is an element of `process`, or is listed twice.
std::vector<Wanted> find_owners(const GhostedArray& array, const Distribution& distribution, Index process);

}  // namespace tridap
