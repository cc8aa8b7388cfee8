#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace bench {

/// The median of a sample, and the lower limit of its one-sided confidence interval of 95 % by order statistics: while
/// `least` is not above a bound, chance may explain a median that is. Too small a sample has no such limit, and `least`
/// is the median. The interval is of what varies within a run, and not of what differs between two runs.
struct Median {
  double value, least;
};

/// NaN of no numbers, which holds no bound.
inline Median median(std::vector<double> of) {
  if (of.empty()) return {NAN, NAN};
  std::sort(of.begin(), of.end());
  const std::size_t half = of.size() / 2;
  const double value = of.size() % 2 == 1 ? of[half] : (of[half - 1] + of[half]) / 2;
  const auto count = static_cast<double>(of.size());
  const auto rank = static_cast<std::ptrdiff_t>((count - 1.645 * std::sqrt(count)) / 2);  // from 1 on
  return {value, rank < 1 ? value : of[static_cast<std::size_t>(rank - 1)]};
}

}  // namespace bench
