#pragma once

#include <tridap/distribution.hpp>
#include <tridap/ghosts/ghosted_array.hpp>

#include <mpi.h>

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

/// The indices, by axis, that find_owners() looks up if the lists of that axis are in a directory.
std::vector<std::vector<Index>> indices_of_ghosts(const GhostedArray& array, const Distribution& distribution);

/// What all processes know and what this one wants, after a check.
struct CheckedGhosts {
  Distribution distribution;  ///< of the owned elements
  std::vector<Wanted> wanted;
};

/// Checks a ghosted array on every process, and finds the owners. **Collective**: throws the same Error on every
/// process or on none, as the constructor of GhostUpdate does.
CheckedGhosts check_ghosts(const GhostedArray& array, MPI_Comm comm);

}  // namespace tridap
