#pragma once

#include <tridap/distribution.hpp>
#include <tridap/redistribute/plan.hpp>

#include <optional>
#include <vector>

namespace tridap::redistribute {

/// How many elements coordinates of a source and of a target have in common: of each target coordinate, a list of those
/// that have any, ascending by source coordinate.
struct OverlapTable {
  struct Cell {
    Index source = 0, elements = 0;
  };
  std::vector<Index> begins = {0};  ///< where the list of each target coordinate begins, and where the last one ends
  std::vector<Cell> cells;

  Index elements(Index source, Index target) const;
};

/// How many elements each part of a source and each part of a target have in common: those that the source's part owns,
/// at the lowest coordinate where several do, and that the target's part holds, every copy counted. It is the product
/// of one table for each axis, made without a look at single elements but those of unstructured axes, so that it takes
/// time and memory for the pairs of coordinates that overlap. A ravelled array has one table, of pairs of parts, made
/// from the runs of flat numbers.
///
/// Rows of 4 x 6 over 2 processes against columns over 3: `elements(p, q) == 2 * 2` for every p and q.
class Overlap {
 public:
  /// Throws Error where the two are not of one shape, or an element of one side is held by nobody on the other and
  /// `mapping` is not partial; where `mapping.axes` is no permutation; where a table would have too many pairs.
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
