#pragma once

#include <tridap/flat_numbers.hpp>
#include <tridap/memory_order.hpp>

#include <optional>
#include <vector>

namespace tridap {

/// The runs of a part of one process's buffer, lazily, from the lowest memory upwards: `global` is the flat number of
/// the first element, `local` how many elements of the dense local buffer stand before it in memory. Every run is as
/// long as can be: where it ends, the numbers or the memory jump.
///
/// Rows of a 4 x 6 array over 2 processes: process 1 has the one run {12, 0, 12}; columns: four runs {3, 0, 3},
/// {9, 3, 3}, {15, 6, 3}, {21, 9, 3}, and in Fortran memory with column-major numbers the one run {12, 0, 12}. It takes
/// memory for the axes alone, whatever their sizes.
class ArrayRuns {
 public:
  /// Of row-major memory and row-major numbers; throws Error where the flat numbers do not fit 64 bits.
  ArrayRuns(const Distribution& distribution, Index process, Part part = Part::owned);
  /// Of memory whose elements stand in `order`, as memory_order() finds it; a buffer with holes counts as without.
  ArrayRuns(const Distribution& distribution, Index process, Part part, const MemoryOrder& order,
            Order numbering = Order::row_major);

  /// The next run; nothing at the end.
  std::optional<Run> next();

 private:
  struct Way {  // along one axis, upwards in memory
    Index axis = 0, coordinate = 0;
    Range box;  // local indices
    bool reversed = false;
    Index below = 0, stride = 1;  // elements of this axis under the box, and how far apart they are in memory
    Index step = 0;               // how many elements of the box are behind us

    Index local() const { return reversed ? box.end - 1 - step : box.begin + step; }
  };
  Index length(const Way& way) const;  // of the run of indices of this axis that begins here
  std::optional<Run> piece();          // the next run, or the part of it up to the end of a row

  Distribution distribution_;
  FlatNumbers numbers_;
  std::vector<Way> ways_;     // from the outermost one to that of the rows; those inside are held whole and in order
  Index first_ = 0;           // what the axes inside add to the flat number
  Index inner_ = 1;           // how many elements stand inside one of a row
  bool joined_ = false;       // those of a row that follow one another also have numbers that do
  bool more_ = false;         // there is another piece
  std::optional<Run> ahead_;  // the piece after the last run
};

}  // namespace tridap
