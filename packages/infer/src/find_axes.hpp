#pragma once

#include "read_ids.hpp"
#include <tridap/axis.hpp>

#include <optional>
#include <vector>

namespace tridap::infer {

/// The shares of all processes: `count[r]` elements on process r, and its shares along each axis.
struct Everyone {
  std::size_t ndim = 0;
  std::vector<Index> count;
  std::vector<Share> shares;  ///< by process and axis

  Index processes() const { return static_cast<Index>(count.size()); }
  const Share& share(Index process, std::size_t k) const {
    return shares[static_cast<std::size_t>(process) * ndim + k];
  }
};

/// One axis over its coordinates.
struct FoundAxis {
  Index grid = 1, pace = 1;        ///< process r is at coordinate r / pace % grid
  std::vector<Share> shares;       ///< by coordinate, ascending where they can be
  std::vector<Index> first_owner;  ///< by coordinate: the lowest process that has elements, or -1
  std::optional<Axis> axis;        ///< nothing: unstructured
  Index size = 0;                  ///< in dim_data

  Index coordinate(Index process) const { return process / pace % grid; }
};

/// The process grid and the axes over it that are the simplest; throws Error where there is none. Depends on nothing
/// but what all processes know.
std::vector<FoundAxis> find_axes(const Everyone& everyone, const InferenceHints& how);

}  // namespace tridap::infer
