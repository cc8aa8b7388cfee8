#include "redistribution/cases.hpp"

namespace bench {

namespace {

double value(const Layout& layout, Index row, Index column) { return static_cast<double>(row * layout.size + column); }

std::vector<Index> globals(const Layout& layout, int axis, Index coordinate) {
  std::vector<Index> list(static_cast<std::size_t>(layout.extent(axis, coordinate)));
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = layout.global(axis, coordinate, static_cast<Index>(i));
  return list;
}

}  // namespace

Index Layout::block_size(int axis) const {
  const Index processes = grid[static_cast<std::size_t>(axis)];
  return block > 0 ? block : (size + processes - 1) / processes;
}

int Layout::rank(Index row, Index column) const {
  return static_cast<int>(column_major_ranks ? column * grid[0] + row : row * grid[1] + column);
}

std::array<Index, 2> Layout::coordinates(int rank) const {
  if (column_major_ranks) return {rank % grid[0], rank / grid[0]};
  return {rank / grid[1], rank % grid[1]};
}

Index Layout::extent(int axis, Index coordinate) const {
  const Index b = block_size(axis), cycle = b * grid[static_cast<std::size_t>(axis)];
  const Index rest = size % cycle - coordinate * b;
  return size / cycle * b + (rest < 0 ? 0 : rest > b ? b : rest);
}

Index Layout::global(int axis, Index coordinate, Index local) const {
  const Index b = block_size(axis);
  return (local / b * grid[static_cast<std::size_t>(axis)] + coordinate) * b + local % b;
}

Index Layout::owner(int axis, Index global) const {
  return global / block_size(axis) % grid[static_cast<std::size_t>(axis)];
}

Index Layout::elements(int rank) const {
  const auto [row, column] = coordinates(rank);
  return extent(0, row) * extent(1, column);
}

std::vector<Run> shared_runs(const Layout& layout, int axis, Index coordinate, const Layout& other,
                             Index other_coordinate) {
  std::vector<Run> runs;
  const Index extent = layout.extent(axis, coordinate);
  for (Index i = 0; i < extent; ++i) {
    if (other.owner(axis, layout.global(axis, coordinate, i)) != other_coordinate) continue;
    if (!runs.empty() && runs.back().begin + runs.back().length == i)
      ++runs.back().length;
    else
      runs.push_back({i, 1});
  }
  return runs;
}

void write_values(const Layout& layout, int rank, double* data, Index stride) {
  const auto [row, column] = layout.coordinates(rank);
  const std::vector<Index> rows = globals(layout, 0, row), columns = globals(layout, 1, column);
  for (const Index i : rows) {
    for (std::size_t k = 0; k < columns.size(); ++k) data[k] = value(layout, i, columns[k]);
    data += stride;
  }
}

bool has_values(const Layout& layout, int rank, const double* data, Index stride) {
  const auto [row, column] = layout.coordinates(rank);
  const std::vector<Index> rows = globals(layout, 0, row), columns = globals(layout, 1, column);
  bool all = true;
  for (const Index i : rows) {
    for (std::size_t k = 0; k < columns.size(); ++k) all &= data[k] == value(layout, i, columns[k]);
    data += stride;
  }
  return all;
}

std::vector<Case> cases(Index size, int processes) {
  Index narrow = 1;  // the most nearly square grid, wider than high: 1 x 2, 2 x 2
  for (Index i = 1; i * i <= processes; ++i)
    if (processes % i == 0) narrow = i;
  const std::array<Index, 2> square = {narrow, processes / narrow}, turned = {square[1], square[0]};
  const Layout rows{size, {processes, 1}}, columns{size, {1, processes}}, blocks{size, square};
  return {{'a', "rows -> columns", rows, columns, 1.5, 1.1},
          {'b', "blocks -> 64 x 64 cyclic", blocks, {size, square, 64}, 1.7, 1.1},
          {'c', "32 x 32 -> 100 x 100 cyclic, turned", {size, square, 32}, {size, turned, 100, true}, 1.7, 1.3},
          {'d', "rows -> blocks", rows, blocks, 1.5, 1.1},
          {'e', "identical", blocks, blocks, 1.05, 1.05}};
}

}  // namespace bench
