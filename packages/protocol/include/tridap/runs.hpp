#pragma once

#include <tridap/flat_numbers.hpp>
#include <tridap/memory_order.hpp>

#include <optional>
#include <vector>

namespace tridap {

/// The runs of a part of one process's buffer, one at a time, from the lowest address upwards. `global` is the flat
/// number of the first element. `local` is the number of elements of the contiguous local buffer before it in memory.
/// Every run is as long as possible: after its end the numbers or the addresses are not consecutive.
///
/// If the rows of a 4 x 6 array are distributed over 2 processes, process 1 has the one run {12, 0, 12}. If the columns
/// are, it has four runs {3, 0, 3}, {9, 3, 3}, {15, 6, 3}, {21, 9, 3}, or in Fortran memory with column-major numbers
/// the one run {12, 0, 12}. The memory needed depends on the number of axes, not on their sizes.
class ArrayRuns {
 public:
  /// For row-major memory and row-major numbers. Throws Error if the flat numbers do not fit 64 bits.
  ArrayRuns(const Distribution& distribution, Index process, Part part = Part::owned);
  /// For memory with its elements in `order`, as memory_order() finds it. Holes in the buffer are not counted.
  ArrayRuns(const Distribution& distribution, Index process, Part part, const MemoryOrder& order,
            Order numbering = Order::row_major);

  /// The next run; nullopt at the end.
  std::optional<Run> next();

 private:
  struct Way {  // along one axis, upwards in memory
    Index axis = 0, coordinate = 0;
    Range box;  // local indices
    bool reversed = false;
    Index below = 0, stride = 1;  // elements of this axis below the box, and their distance in memory, elements
    Index step = 0;               // elements of the box that are already done

    Index local() const { return reversed ? box.end - 1 - step : box.begin + step; }
  };
  Index length(const Way& way) const;  // of the run of indices of this axis that begins here
  std::optional<Run> piece();          // the next run, or its part up to the end of a row

  Distribution distribution_;
  FlatNumbers numbers_;
  std::vector<Way> ways_;  // from the outermost axis to that of the rows; the axes inside are held whole and in order
  Index first_ = 0;        // contribution of the axes inside to the flat number
  Index inner_ = 1;        // elements of the axes inside, for each index of a row
  bool joined_ = false;    // consecutive elements of a row have consecutive numbers
  bool more_ = false;      // there is another piece
  std::optional<Run> ahead_;  // the piece after the last run
};

}  // namespace tridap
