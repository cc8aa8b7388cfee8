// The lines about several axes in docs/inside/adapter.md.

#include "support/thrown.hpp"
#include <tridap/compare.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/dist_array.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/report.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

namespace {

using namespace tridap;

// A matrix in square tiles, dealt over a process grid. A process has its elements column by column, `ld` elements
// apart.
struct Tiles {
  double* values = nullptr;
  Index rows = 0, columns = 0, tile = 1, grid_rows = 1, grid_columns = 1, ld = 0;
};

DistArray exported(const Tiles& tiles, Index rank) {
  const Distribution whole = Distribution::make({tiles.rows, tiles.columns}, {cyclic(tiles.tile), cyclic(tiles.tile)},
                                                {tiles.grid_rows, tiles.grid_columns});
  DistArray array;
  array.buffer = row_major(tiles.values, whole.local_shape(rank));
  array.buffer.strides = {8, 8 * tiles.ld};
  array.dim_data = whole.dim_data(rank);
  return array;
}

Index tile_of(const Distribution& whole) {
  Index tile = 1;
  for (Index i = 0; i < whole.ndim(); ++i) {
    const Axis& axis = whole.axis(i);
    if (axis.has_communication_padding())
      refuse("the axis is " + describe(axis), "must have no padding", "redistribute it", i);
    const auto* dealt = std::get_if<CyclicKind>(&axis.kind());
    if (axis.proc_grid_size() > 1) tile = dealt != nullptr ? dealt->block_size() : std::max<Index>(axis.count(0), 1);
  }
  const Distribution needed = Distribution::make(whole.shape(), {cyclic(tile), cyclic(tile)}, whole.proc_grid_shape());
  const Comparison found = compare(whole, needed);
  if (!found.same_places)
    refuse("the array is " + describe(whole) + ", and " + found.difference,
           "must be in tiles of " + std::to_string(tile) + " x " + std::to_string(tile), "redistribute it");
  return tile;
}

Index ld_of(const Buffer& buffer) {
  const Index rows = buffer.shape[0], columns = buffer.shape[1], bytes = buffer.type.bytes;
  if (rows == 0 || columns == 0) return std::max<Index>(rows, 1);
  if (rows > 1 && buffer.strides[0] != bytes)
    refuse("axis 0 has stride " + std::to_string(buffer.strides[0]) + " bytes", "must be " + std::to_string(bytes),
           "pass an array in Fortran's order", 0);
  if (columns == 1) return rows;
  if (buffer.strides[1] % bytes != 0 || buffer.strides[1] < rows * bytes)
    refuse("axis 1 has stride " + std::to_string(buffer.strides[1]) + " bytes",
           "must be a multiple of " + std::to_string(bytes) + " bytes, and at least one column",
           "pass an array in Fortran's order", 1);
  return buffer.strides[1] / bytes;
}

struct Processes {
  int rank = 0, size = 1;
  Processes() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
};

template <class Call>
std::string message(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// The slow way: the global indices of an axis that the process at `place` has, tile after tile.
std::vector<Index> dealt_to(Index place, Index size, Index tile, Index grid) {
  std::vector<Index> indices;
  for (Index i = 0; i < size; ++i)
    if (i / tile % grid == place) indices.push_back(i);
  return indices;
}

TEST(Tiles, AreTwoBlockCyclicAxes) {
  const Processes processes;
  const Index columns = 7, tile = 2;
  for (Index grid_rows = 1; grid_rows <= processes.size; ++grid_rows) {
    if (processes.size % grid_rows != 0) continue;
    for (const Index rows : {0, 1, 5, 13}) {
      const Index grid_columns = processes.size / grid_rows, ld = rows + 3;
      const auto down = dealt_to(processes.rank / grid_columns, rows, tile, grid_rows);
      const auto across = dealt_to(processes.rank % grid_columns, columns, tile, grid_columns);
      std::vector<double> memory(static_cast<std::size_t>(ld * columns));
      const DistArray array =
          exported({memory.data(), rows, columns, tile, grid_rows, grid_columns, ld}, processes.rank);
      const Distribution whole = mpi::gather_distribution(array, MPI_COMM_WORLD);
      ASSERT_EQ(whole.local_shape(processes.rank),
                (std::vector<Index>{static_cast<Index>(down.size()), static_cast<Index>(across.size())}));
      for (std::size_t i = 0; i < down.size(); ++i)
        for (std::size_t j = 0; j < across.size(); ++j)
          EXPECT_EQ(whole.global_index(processes.rank, {static_cast<Index>(i), static_cast<Index>(j)}),
                    (Indices{down[i], across[j]}));
      EXPECT_EQ(array.buffer.data, memory.data());
      if (down.size() > 1 && across.size() > 1) {
        EXPECT_EQ(ld_of(array.buffer), ld);
      }
      if (processes.size > 1) {
        EXPECT_EQ(tile_of(whole), tile);
      }
    }
  }
}

TEST(Tiles, AreTransposedIfTheGridIsNumberedColumnByColumn) {
  const Index rows = 13, columns = 7, tile = 2, grid_rows = 2, grid_columns = 3;
  const auto transposed = Distribution::make({columns, rows}, {cyclic(tile), cyclic(tile)}, {grid_columns, grid_rows});
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j)
      EXPECT_EQ(transposed.owner({j, i}), i / tile % grid_rows + j / tile % grid_columns * grid_rows);
}

TEST(Tiles, HaveSeveralDescriptions) {
  const auto of = [](const AxisSpec& rows) { return Distribution::make({12, 4}, {rows, whole()}, {3, 1}); };
  EXPECT_EQ(tile_of(of(cyclic(2))), 2);
  EXPECT_EQ(tile_of(of(block())), 4);  // a tile for each process
  EXPECT_EQ(tile_of(of(unstructured({{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}))), 4);
}

TEST(Tiles, RefuseOtherDistributions) {
  const auto says = [](const std::vector<AxisSpec>& specs, const std::string& part) {
    const auto said = message([&] { tile_of(Distribution::make({12, 12}, specs, {2, 2})); });
    on::expect_says(said, part);
  };
  says({cyclic(2), cyclic(3)}, "must be in tiles of 3 x 3");
  says({cyclic(2, 1), cyclic(2)}, "index (0, 0) is owned by process 2 here and by process 0 there");
  says({block_at({0, 5}), block()}, "must be in tiles");
  says({unstructured({{1, 0, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}}), block()}, "must be in tiles");  // another local order
  says({padded_block(1), block()}, "must have no padding");
}

TEST(Tiles, NeedContiguousColumns) {
  Buffer buffer = allocate(element_type<double>(), {3, 2});
  on::expect_says(message([&] { ld_of(buffer); }), "axis 0 has stride 16 bytes");
  buffer.strides = column_major_strides(buffer.shape, 8);
  EXPECT_EQ(ld_of(buffer), 3);
  buffer.strides[1] = 16;
  on::expect_says(message([&] { ld_of(buffer); }), "axis 1 has stride 16 bytes");
  buffer.strides[1] = -24;
  on::expect_says(message([&] { ld_of(buffer); }), "axis 1 has stride -24 bytes");
  buffer.shape = {3, 1};
  EXPECT_EQ(ld_of(buffer), 3);
  buffer.shape = {1, 2};
  buffer.strides = {-5, 32};
  EXPECT_EQ(ld_of(buffer), 4);
  buffer.shape = {0, 2};
  EXPECT_EQ(ld_of(buffer), 1);
}

TEST(Tiles, AreCopiedColumnByColumn) {
  std::vector<double> values = {11, 12, 13, 21, 22, 23}, copy(6);
  Buffer transposed = row_major(values.data(), {2, 3});
  std::reverse(transposed.shape.begin(), transposed.shape.end());
  std::reverse(transposed.strides.begin(), transposed.strides.end());
  EXPECT_EQ(pack(transposed, copy.data()), 48);
  EXPECT_EQ(copy, (std::vector<double>{11, 21, 12, 22, 13, 23}));
}

}  // namespace
