#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace bench {

/// The median of a sample, and the lower end of its 99 % confidence interval by order statistics: chance alone explains
/// a true median that is not above a bound only while `least` is not.
struct Median {
  double value, least;
};

/// Of at least one number.
inline Median median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  const std::size_t half = of.size() / 2;
  const auto margin = static_cast<std::size_t>(std::ceil(2.58 * std::sqrt(static_cast<double>(of.size())) / 2));
  return {of.size() % 2 == 1 ? of[half] : (of[half - 1] + of[half]) / 2, of[half - std::min(half, margin)]};
}

}  // namespace bench
