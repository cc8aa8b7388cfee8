#pragma once

#include <tridap/flat_numbers.hpp>
#include <tridap/slabs.hpp>

#include <cstddef>
#include <vector>

namespace tridap {

/// An element of a list, by its position in a file.
struct ListedPosition {
  Index position = 0, local = 0;
};

/// The elements of one coordinate's list on an unstructured axis, ascending by position; see axis_slabs().
std::vector<ListedPosition> listed_positions(const Axis& axis, Index coordinate, Part part,
                                             const KnownPositions* known);

/// The slab that begins with element `first`. From one of its elements to the next, the local index grows by 1, and the
/// position always by the same step.
AxisSlab slab_at(const std::vector<ListedPosition>& elements, std::size_t first);

}  // namespace tridap
