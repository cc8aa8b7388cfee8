#pragma once

#include <tridap/flat_numbers.hpp>
#include <tridap/internal/axis_moves.hpp>
#include <tridap/runs.hpp>

#include <optional>
#include <vector>

namespace tridap::redistribute {

/// Finds the elements of an array by their flat numbers, and their places in the contiguous local buffers in the same
/// memory order.
class NumberedArray {
 public:
  /// Throws Error where the flat numbers do not fit 64 bits.
  NumberedArray(const Distribution& distribution, Order order);

  Index count() const { return numbers_.count(); }
  bool shares() const { return shares_; }  ///< several processes hold some element

  /// Where an element is.
  struct Found {
    Index process = 0, local = 0;  ///< the lowest that holds it; in its dense local buffer
    Index length = 0;              ///< of the run of numbers that begins with it there; 0: no process holds it
  };
  Found find(Index number, Index most) const;  ///< `length` at most `most`
  /// Of all processes that hold an element; `length` is 1.
  std::vector<Found> find_all(Index number) const;

  /// A part of one process's buffer as runs of flat numbers, ascending in its dense local buffer.
  ArrayRuns runs(Index process, Part part) const;

 private:
  Index dense(const Indices& coordinates, const Indices& local) const;

  const Distribution& of_;
  FlatNumbers numbers_;
  Order order_;
  std::vector<std::size_t> axes_;  // outermost first
  bool shares_ = false, gaps_ = false;
  mutable Indices at_, local_;
};

/// Adds a piece; one that goes on where the last one ends makes that longer.
void add_piece(std::vector<RunPair>& pieces, const RunPair& piece);

/// What pieces make up, as one section.
AxisMoves moves_of(std::vector<RunPair> pieces, std::optional<Index> missing = {});

/// Puts pieces in ascending order of the source's local indices.
void sort_by_source(std::vector<RunPair>& pieces);

}  // namespace tridap::redistribute
