#pragma once

#include <tridap/axis.hpp>

#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// The number of elements of an axis that a coordinate of the source and a coordinate of the target have in common. An
/// element counts if the source's coordinate owns it (if several do, only the lowest) and the target's coordinate holds
/// it. It is a table of which one row is made at a time.
///
/// Blocks of 4 elements to cyclic, over 2 coordinates each: both rows are {{0, 2}, {1, 2}}.
class AxisOverlap {
 public:
  struct Cell {
    Index source = 0, elements = 0;
  };

  /// The axes must outlive it.
  AxisOverlap(const Axis& source, const Axis& target, Part target_part);

  /// How many pairs of coordinates or blocks, or indices of unstructured axes, one looks at to make all rows. It is an
  /// estimate from above, and takes no time.
  double pairs() const;
  /// The most elements by which one dealt block more makes a pair larger than another.
  Index one_block() const;
  /// The cells of a target coordinate, ascending by source, without those of no elements.
  void row(Index target, std::vector<Cell>& cells);

 private:
  // Of the indices below one, a coordinate of a cyclic axis holds `whole`, and some of the `rest` that follows.
  struct Dealt {
    Index whole = 0, rest = 0;
  };

  bool by_edges() const;
  Dealt dealt(Index below) const;
  void row_of_edges(Index turn, std::vector<Cell>& cells);
  void sum_of_dealt_blocks(Index turn);
  void spread(Range range, Index times);
  void add(Index source, Index elements);
  void take(std::vector<Cell>& cells);

  const Axis &source_, &target_;
  Part part_;
  Index size_;                      // below which both sides have indices, unless one is unstructured
  std::vector<Dealt> edges_;        // by block of the source, and the end of the last one: dealt to the target
  std::vector<Index> sums_, seen_;  // elements by source; those sources of which there are any
};

}  // namespace tridap::redistribute

#pragma GCC visibility pop
