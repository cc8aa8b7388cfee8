#pragma once

#include <tridap/distribution.hpp>
#include <tridap/redistribute/plan.hpp>

#include <optional>
#include <vector>

namespace tridap::redistribute {

/// The number of elements that a coordinate of the source and a coordinate of the target have in common. For each
/// target coordinate it lists the source coordinates with common elements, in ascending order.
struct OverlapTable {
  struct Cell {
    Index source = 0, elements = 0;
  };
  std::vector<Index> begins = {0};  ///< where the list of each target coordinate begins, and where the last one ends
  std::vector<Cell> cells;

  Index elements(Index source, Index target) const;
};

/// The number of elements that each part of a source and each part of a target have in common. An element counts if the
/// source's part owns it (if several parts do, only the one at the lowest coordinate) and the target's part holds it;
/// every copy in the target counts.
///
/// It is the product of one table for each axis. Single elements are visited on unstructured axes only, so time and
/// memory are proportional to the pairs of coordinates that overlap. With Mapping::ravel there is one table, of pairs
/// of parts, made from the runs of flat numbers.
///
/// Rows of 4 x 6 over 2 processes against columns over 3: `elements(p, q) == 2 * 2` for every p and q.
class Overlap {
 public:
  /// Throws Error if the shapes differ, if an element of one side is held by no process of the other and `mapping` is
  /// not partial, if `mapping.axes` is not a permutation, or if a table would have too many pairs.
  Overlap(const Distribution& source, const Distribution& target, const Mapping& mapping);

  /// One table, and which digits of the number of a process stand for its coordinates.
  struct Axis {
    OverlapTable table;
    Index source_extent = 1, source_weight = 1, target_extent = 1, target_weight = 1;

    Index source_coordinate(Index p) const { return p / source_weight % source_extent; }
    Index target_coordinate(Index q) const { return q / target_weight % target_extent; }
  };
  const std::vector<Axis>& axes() const { return axes_; }

  Index elements(Index p, Index q) const;  ///< that parts p and q have in common
  std::optional<Index> total() const;      ///< over all p and q; nothing where it does not fit 64 bits

 private:
  void pair_axes(const Distribution& source, const Distribution& target, const Mapping& mapping);
  void ravel(const Distribution& source, const Distribution& target, const Mapping& mapping);

  std::vector<Axis> axes_;
};

/// The table of one axis.
OverlapTable overlap(const tridap::Axis& source, const tridap::Axis& target, Part target_part = Part::owned);

}  // namespace tridap::redistribute
