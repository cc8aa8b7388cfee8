#pragma once

#include "axis_overlap.hpp"
#include <tridap/internal/relabel_limits.hpp>
#include <tridap/redistribute/plan.hpp>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// What the coordinates of one axis have in common, or, with Mapping::ravel, the processes of both sides: for each
/// target coordinate its largest cells.
struct OverlapTable {
  using Cell = AxisOverlap::Cell;

  std::function<void(Index, std::vector<Cell>&)> row;  ///< makes all cells of a target coordinate, ascending by source
  Index source_extent = 1, source_weight = 1, target_extent = 1, target_weight = 1;
  Index one_block = 1;                ///< elements
  std::vector<Index> begins = {0};    ///< where the cells of each target coordinate begin, and where the last end
  std::vector<Cell> cells = {};       ///< the largest first, if not all of them need be kept
  std::vector<Index> largest = {};    ///< by target coordinate: elements of its largest cell
  std::vector<Index> left_out = {};   ///< by target coordinate: elements of the largest cell that is not kept
  std::vector<bool> level = {};       ///< by target coordinate: of all sources alike, up to one block
  std::optional<Index> elements = 0;  ///< of all cells, also those not kept; nothing: more than 64 bits can say
  Index looked = 0;                   ///< cells

  Index source_coordinate(Index p) const { return p / source_weight % source_extent; }
  Index target_coordinate(Index q) const { return q / target_weight % target_extent; }
  /// Fills the table. Of each target coordinate, at most `most` cells are kept; `by_level`: none of a level one, as its
  /// parts are not searched.
  void keep(std::optional<Index> most, bool by_level);
  /// All cells of a target coordinate, ascending by source; they are made again if some were not kept.
  void all(Index t, std::vector<Cell>& of_row) const;
  /// The elements of the largest cell of a target coordinate that is not among its first `most`.
  Index beyond(Index t, Index most) const;
};

/// The elements that each part of the source and each part of the target have in common: a product of one table for
/// each axis. With Mapping::ravel there is one table, of pairs of parts.
class Overlap {
 public:
  /// Throws Error if a Plan would, or if more pairs must be looked at than the limits say: this is estimated before any
  /// list is made. Of more than `limits.exact_processes`, only the largest cells are kept. The distributions must
  /// outlive it.
  Overlap(const Distribution& source, const Distribution& target, const Mapping& mapping, Index processes,
          const RelabelLimits& limits);

  const std::vector<OverlapTable>& tables() const { return tables_; }
  /// The exact numbers for pairs of parts, one of the source and one of the target; a part -1 has nothing.
  std::vector<Index> elements(const std::vector<std::pair<Index, Index>>& parts) const;
  /// Of all pairs of parts; nothing if 64 bits cannot say it.
  std::optional<Index> total() const;
  /// The most that a part of the source may have in common with part `q` if it is not among the first `most` cells of
  /// each axis.
  Index left_out(Index q, Index most) const;
  /// Every part of the source has as much in common with part `q`, up to one block on each axis.
  bool level(Index q) const;
  Index looked() const;  ///< cells, to make the tables

 private:
  void add_axes(const Distribution& source, const Distribution& target, const Mapping& mapping);
  void add_ravelled(const Distribution& source, const Distribution& target, const Mapping& mapping);

  void must_be_possible(double more_pairs, std::optional<Index> axis);

  double pairs_ = 0;
  Index most_pairs_;
  std::vector<OverlapTable> tables_;
};

}  // namespace tridap::redistribute

#pragma GCC visibility pop
