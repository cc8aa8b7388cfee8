#pragma once

#include <dap/flat_numbers.hpp>

#include <optional>
#include <vector>

namespace dap {

/// The runs of a part of one process's row-major buffer, lazily: `global` is the flat row-major number of the first
/// element, `local` its offset in the dense row-major local buffer (elements). Runs merge across inner axes that a
/// process holds whole.
///
/// Rows of a 4 x 6 array over 2 processes: process 1 has the one run {12, 0, 12}; columns: four runs {3, 0, 3},
/// {9, 3, 3}, {15, 6, 3}, {21, 9, 3}.
class ArrayRuns {
 public:
  /// Throws Error where the flat numbers do not fit 64 bits.
  ArrayRuns(const Distribution& distribution, Index process, Part part = Part::owned);

  /// The next run; nothing at the end.
  std::optional<Run> next();

 private:
  Distribution distribution_;
  FlatNumbers numbers_;
  Indices coordinates_, local_weight_;
  std::vector<Range> box_;
  std::size_t run_axis_ = 0;  // runs are those of this axis, each element of it worth `inner_` elements
  Index inner_ = 1;
  std::optional<Indices> at_;  // local indices up to and including the run axis; nothing at the end
};

}  // namespace dap
