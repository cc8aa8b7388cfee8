#pragma once

#include <tridap/redistribute/plan.hpp>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace bench {

using tridap::Index;

/// A square matrix dealt over a grid of processes in blocks, round-robin where there are more blocks than processes
/// along an axis: what every competitor here can say. Local parts are dense and row-major.
struct Layout {
  Index size = 0;                      ///< rows, and columns
  std::array<Index, 2> grid = {1, 1};  ///< processes along each axis
  Index block = 0;                     ///< rows and columns of a dealt block; 0: one block for each process
  bool column_major_ranks = false;     ///< the processes fill the grid column by column

  Index block_size(int axis) const;                  ///< of a dealt block, or of the one block
  int rank(Index row, Index column) const;           ///< of a place of the grid
  std::array<Index, 2> coordinates(int rank) const;  ///< its place
  Index extent(int axis, Index coordinate) const;    ///< local rows or columns there
  Index global(int axis, Index coordinate, Index local) const;
  Index owner(int axis, Index global) const;  ///< its coordinate
  Index elements(int rank) const;             ///< local ones

  tridap::redistribute::PlacedDistribution placed() const;
};

/// A range of local indices.
struct Run {
  Index begin = 0, length = 0;
};

/// The local indices along an axis at `coordinate` that stand at `other_coordinate` in another layout, in runs.
std::vector<Run> shared_runs(const Layout& layout, int axis, Index coordinate, const Layout& other,
                             Index other_coordinate);

/// Writes to every element of a process's part a number that is no other element's. Rows are `stride` elements apart.
void write_values(const Layout& layout, int rank, double* data, Index stride);
/// Whether every element has that number.
bool has_values(const Layout& layout, int rank, const double* data, Index stride);

/// One move, and what it may cost.
struct Case {
  char letter = 'a';
  std::string what;
  Layout source, target;
  double ordinary = 1;  ///< bound on a move into ordinary memory, in copies of the same bytes
  double owned = 1;     ///< into memory of ours
};

/// Those of the issue, for a matrix of `size` rows on some number of processes.
std::vector<Case> cases(Index size, int processes);

}  // namespace bench
