#pragma once

#include "sparse_case.hpp"

namespace sparse_test {

/// The second difference of a line of points, uneven over the processes: symmetric and positive definite.
inline Case second_difference() {
  Case of;
  of.rows = {0};
  for (int p = 0; p < processes(); ++p) of.rows.push_back(of.rows.back() + 5 + 3 * (p % 2));
  of.columns = of.rows;
  for (Index i = 0; i < of.rows.back(); ++i) {
    of.entries[{i, i}] = 2;
    if (i > 0) of.entries[{i, i - 1}] = of.entries[{i - 1, i}] = -1;
  }
  return of;
}

/// The solution for the right-hand side of ones: i (n - i) / 2, counted from 1.
inline double answer(const Case& of, Index i) { return static_cast<double>((i + 1) * (of.rows.back() - i)) / 2; }

}  // namespace sparse_test
