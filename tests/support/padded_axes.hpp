#pragma once

#include "support/oracle.hpp"
#include <tridap/dist_array.hpp>

#include <vector>

namespace oracle {

inline List of(Index grid, Index value) { return List(static_cast<std::size_t>(grid), value); }

/// Every way to pad an axis over `grid` coordinates.
inline std::vector<Axis> all_padded(Index grid) {
  const List three = of(grid, 3), six = of(grid, 6), one = of(grid - 1, 1);
  List uneven, empty = of(grid, 3),
               beside = one;  // widths 0, 1, 2, 0, ...; and one coordinate that holds nothing
  for (Index c = 0; c + 1 < grid; ++c) uneven.push_back(c % 3);
  if (grid > 1) {
    empty[1] = 0;
    beside[0] = 0;
    if (grid > 2) beside[1] = 0;
  }
  return {block(three, one),                            // communication
          block(three, one, {1, 2}),                    // boundary
          block(three, one, {1, 1}, true),              // periodic
          block(six, uneven, {2, 1}, true),             // other widths everywhere
          block(three, of(grid - 1, 3), {0, 1}, true),  // as wide as what the neighbour has, mirrors at one end
          block(six, of(grid - 1, 5), {2, 2}, true),    // padding that repeats a neighbour's mirrors
          block(empty, beside, {1, 0}, true)};
}

/// The global index of the interior that an index of one axis stands for.
inline Index repeats(const Axis& axis, Index global) {
  if (!axis.dims[0].periodic) return global;
  const auto left = std::get<tridap::Block>(axis.dims.front().dist).padding.value_or(std::array<Index, 2>{0, 0})[0];
  const auto right = std::get<tridap::Block>(axis.dims.back().dist).padding.value_or(std::array<Index, 2>{0, 0})[1];
  const Index period = axis.size() - left - right;
  if (global < left) return global + period;
  return global >= axis.size() - right ? global - period : global;
}

/// The same of an element.
inline List repeats(const Array& array, List global) {
  for (std::size_t i = 0; i < global.size(); ++i) global[i] = repeats(array.axes[i], global[i]);
  return global;
}

/// Whether a local index is in the interior.
inline bool inside(const Array& array, Index place, const List& local) {
  for (std::size_t i = 0; i < local.size(); ++i) {
    const tridap::Range range = array.axes[i].part(array.coordinates(place)[i], tridap::Part::interior);
    if (local[i] < range.begin || local[i] >= range.end) return false;
  }
  return true;
}

/// What 0.9 says: communication padding is outside [start, stop), and the edges of a periodic axis do not count.
inline tridap::DistArray as_of_0_9(tridap::DistArray part, const Array& array) {
  part.version = "0.9.0";
  for (std::size_t i = 0; i < part.dim_data.size(); ++i) {
    tridap::Dimension& dimension = part.dim_data[i];
    auto* block = std::get_if<tridap::Block>(&dimension.dist);
    if (block == nullptr || !block->padding) continue;
    const auto [left, right] = *block->padding;
    const Index edge = (*std::get<tridap::Block>(array.axes[i].dims.front().dist).padding)[0];
    const Index other = (*std::get<tridap::Block>(array.axes[i].dims.back().dist).padding)[1];
    const bool around = dimension.periodic;
    if (around) dimension.size -= edge + other;
    if (around) block->start -= edge, block->stop -= edge;
    if (around || dimension.proc_grid_rank > 0) block->start += left;
    if (around || dimension.proc_grid_rank < dimension.proc_grid_size - 1) block->stop -= right;
  }
  return part;
}

}  // namespace oracle
