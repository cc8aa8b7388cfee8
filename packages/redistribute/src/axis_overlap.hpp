#pragma once

#include <tridap/axis.hpp>

#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// The number of elements of an axis that a coordinate of the source and a coordinate of the target have in common. An
/// element counts if the source's coordinate owns it (if several do, only the lowest) and the target's coordinate holds
/// it. Pairs without common elements are not stored.
///
/// Blocks of 4 elements to cyclic, over 2 coordinates each: `elements(s, t) == 1` for every s and t.
struct AxisOverlap {
  struct Cell {
    Index source = 0, elements = 0;
  };
  std::vector<Index> begins = {0};  ///< where the cells of each target coordinate begin, and where the last ones end
  std::vector<Cell> cells;          ///< of each target coordinate, ascending by source

  Index elements(Index source, Index target) const;
};

/// Takes time for the pairs of coordinates that overlap and for the blocks of a period, or, on an unstructured axis,
/// for its indices. Throws Error if there are too many pairs.
AxisOverlap axis_overlap(const Axis& source, const Axis& target, Part target_part = Part::owned);

}  // namespace tridap::redistribute

#pragma GCC visibility pop
