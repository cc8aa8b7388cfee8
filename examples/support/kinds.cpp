#include "support/kinds.hpp"

#include <dap/make.hpp>

namespace examples {

namespace {

// Elements without any order among the coordinates; each list has its odd indices upwards, then its even ones
// downwards.
dap::UnstructuredSpec scattered(dap::Index size, dap::Index grid) {
  std::vector<std::vector<dap::Index>> lists(static_cast<std::size_t>(grid));
  const auto deal = [&](dap::Index i) { lists[static_cast<std::size_t>((i * i + i / 3) % grid)].push_back(i); };
  for (dap::Index i = 1; i < size; i += 2) deal(i);
  for (dap::Index i = (size - 1) / 2 * 2; i >= 0; i -= 2) deal(i);
  return dap::unstructured(std::move(lists), true);
}

// Each share is larger than the one before it; the first may be empty.
dap::BlockSpec growing(dap::Index size, dap::Index grid) {
  std::vector<dap::Index> starts;
  for (dap::Index c = 0; c < grid; ++c) starts.push_back(size * c * c / (grid * grid));
  return dap::block_at(std::move(starts));
}

}  // namespace

std::vector<NamedDistribution> every_kind(dap::Index processes) {
  constexpr dap::Index size = 60;
  const std::vector<dap::Index> square = dap::near_square_grid(processes, 2);
  const dap::BlockSpec padded{{}, {}, 2, {0, 0}, false};  // where neighbours meet
  std::vector<NamedDistribution> kinds;
  const auto one_axis = [&](const char* name, dap::AxisSpec spec) {
    kinds.push_back({name, dap::Distribution::make({size}, {std::move(spec)}, {processes})});
  };
  const auto two_axes = [&](const char* name, dap::AxisSpec rows, dap::AxisSpec cols) {
    kinds.push_back({name, dap::Distribution::make({24, size}, {std::move(rows), std::move(cols)}, square)});
  };
  one_axis("block", dap::block());
  one_axis("irregular", growing(size, processes));
  one_axis("padded", padded);
  one_axis("cyclic", dap::cyclic());
  one_axis("rotated", dap::cyclic(3, processes - 1));
  one_axis("unstructured", scattered(size, processes));
  two_axes("2-D dealt", dap::block(), dap::cyclic(4, square[1] - 1));
  two_axes("2-D scattered", dap::cyclic(), scattered(size, square[1]));
  two_axes("2-D padded", padded, padded);
  return kinds;
}

}  // namespace examples
