#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bench {

using Index = std::int64_t;

/// A square matrix distributed over a grid of processes in blocks, or block-cyclically if an axis has more blocks than
/// processes. Every entrant can represent this distribution. Local parts are dense and row-major.
struct Layout {
  Index size = 0;                      ///< rows, and columns
  std::array<Index, 2> grid = {1, 1};  ///< processes along each axis
  Index block = 0;                     ///< rows and columns of a cyclic block; 0: one block for each process
  bool column_major_ranks = false;     ///< the processes fill the grid column by column

  Index block_size(int axis) const;                  ///< of a cyclic block, or of the one block
  int rank(Index row, Index column) const;           ///< of the process at these coordinates
  std::array<Index, 2> coordinates(int rank) const;  ///< of a process in the grid
  Index extent(int axis, Index coordinate) const;    ///< local rows or columns at a coordinate
  Index global(int axis, Index coordinate, Index local) const;
  Index owner(int axis, Index global) const;  ///< coordinate of the owner
  Index elements(int rank) const;             ///< number of local elements
};

/// A range of local indices.
struct Run {
  Index begin = 0, length = 0;
};

/// The local indices along an axis at `coordinate` whose elements are at `other_coordinate` in another layout, in runs.
std::vector<Run> shared_runs(const Layout& layout, int axis, Index coordinate, const Layout& other,
                             Index other_coordinate);

/// Writes a different number to every element of a process's part. Rows are `stride` elements apart.
void write_values(const Layout& layout, int rank, double* data, Index stride);
/// Whether every element has its number.
bool has_values(const Layout& layout, int rank, const double* data, Index stride);

/// One move, and its bounds.
struct Case {
  char letter = 'a';
  std::string what;
  Layout source, target;
  double ordinary = 1;  ///< bound on a move into ordinary memory, in copies of the same bytes or loops over its runs
  double owned = 1;     ///< bound on a move into memory that we allocate
};

/// The cases (a) to (e) of README.md, for a matrix of `size` rows.
std::vector<Case> cases(Index size, int processes);

}  // namespace bench
