#pragma once

#include "read_ids.hpp"
#include <tridap/axis.hpp>

#include <optional>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::infer {

/// The shares of all processes: process r holds `count[r]` elements, and one share along each axis.
struct Everyone {
  std::size_t ndim = 0;
  std::vector<Index> count;
  std::vector<Share> shares;  ///< by process and axis

  Index processes() const { return static_cast<Index>(count.size()); }
  const Share& share(Index process, std::size_t k) const {
    return shares[static_cast<std::size_t>(process) * ndim + k];
  }
};

/// One axis, with one share for each coordinate.
struct FoundAxis {
  Index grid = 1, pace = 1;        ///< process r is at coordinate r / pace % grid
  std::vector<Share> shares;       ///< by coordinate; in ascending order if the kind of share allows it
  std::vector<Index> first_owner;  ///< by coordinate: the lowest process that has elements, or -1
  std::optional<Axis> axis;        ///< nothing: the axis is unstructured
  Index size = 0;                  ///< `size` in dim_data

  Index coordinate(Index process) const { return process / pace % grid; }
};

/// Finds the process grid with the simplest axes; throws Error if there is none. The result depends only on data that
/// every process has, so it is the same everywhere.
std::vector<FoundAxis> find_axes(const Everyone& everyone, const InferenceHints& how);

}  // namespace tridap::infer

#pragma GCC visibility pop
