#pragma once

#include "support/oracle.hpp"

#include <vector>

namespace tpetra_test {

using dap::Index;

inline oracle::List of(Index grid, Index value) { return oracle::List(static_cast<std::size_t>(grid), value); }

/// Every way to pad an axis over `grid` coordinates.
inline std::vector<oracle::Axis> all_padded(Index grid) {
  const oracle::List three = of(grid, 3), six = of(grid, 6), one = of(grid - 1, 1);
  oracle::List uneven, empty = of(grid, 3),
                       beside = one;  // widths 0, 1, 2, 0, ...; and one coordinate that holds nothing
  for (Index c = 0; c + 1 < grid; ++c) uneven.push_back(c % 3);
  if (grid > 1) {
    empty[1] = 0;
    beside[0] = 0;
    if (grid > 2) beside[1] = 0;
  }
  return {oracle::block(three, one),                            // communication
          oracle::block(three, one, {1, 2}),                    // boundary
          oracle::block(three, one, {1, 1}, true),              // periodic
          oracle::block(six, uneven, {2, 1}, true),             // other widths everywhere
          oracle::block(three, of(grid - 1, 3), {0, 1}, true),  // as wide as what the neighbour has, mirrors at one end
          oracle::block(six, of(grid - 1, 5), {2, 2}, true),    // padding that repeats a neighbour's mirrors
          oracle::block(empty, beside, {1, 0}, true)};
}

}  // namespace tpetra_test
