#include "support/kinds.hpp"

#include <tridap/make.hpp>

namespace examples {

namespace {

// Elements without any order among the coordinates; each list has its odd indices upwards, then its even ones
// downwards.
tridap::UnstructuredSpec scattered(tridap::Index size, tridap::Index grid) {
  std::vector<std::vector<tridap::Index>> lists(static_cast<std::size_t>(grid));
  const auto add = [&](tridap::Index i) { lists[static_cast<std::size_t>((i * i + i / 3) % grid)].push_back(i); };
  for (tridap::Index i = 1; i < size; i += 2) add(i);
  for (tridap::Index i = (size - 1) / 2 * 2; i >= 0; i -= 2) add(i);
  return tridap::unstructured(std::move(lists), true);
}

// Each block is larger than the one before it; the first may be empty.
tridap::BlockSpec growing(tridap::Index size, tridap::Index grid) {
  std::vector<tridap::Index> starts;
  for (tridap::Index c = 0; c < grid; ++c) starts.push_back(size * c * c / (grid * grid));
  return tridap::block_at(std::move(starts));
}

}  // namespace

std::vector<NamedDistribution> every_kind(tridap::Index processes) {
  constexpr tridap::Index size = 60;
  const std::vector<tridap::Index> square = tridap::near_square_grid(processes, 2);
  const tridap::BlockSpec padded{{}, {}, 2, {0, 0}, false};  // padding only between neighbours
  std::vector<NamedDistribution> kinds;
  const auto one_axis = [&](const char* name, tridap::AxisSpec spec) {
    kinds.push_back({name, tridap::Distribution::make({size}, {std::move(spec)}, {processes})});
  };
  const auto two_axes = [&](const char* name, tridap::AxisSpec rows, tridap::AxisSpec cols) {
    kinds.push_back({name, tridap::Distribution::make({24, size}, {std::move(rows), std::move(cols)}, square)});
  };
  one_axis("block", tridap::block());
  one_axis("irregular", growing(size, processes));
  one_axis("padded", padded);
  one_axis("cyclic", tridap::cyclic());
  one_axis("rotated", tridap::cyclic(3, processes - 1));
  one_axis("unstructured", scattered(size, processes));
  two_axes("2-D cyclic", tridap::block(), tridap::cyclic(4, square[1] - 1));
  two_axes("2-D scattered", tridap::cyclic(), scattered(size, square[1]));
  two_axes("2-D padded", padded, padded);
  return kinds;
}

}  // namespace examples
