#pragma once

#include "redistribute/moves.hpp"

#include <cmath>

/// Moves to try: all small ones, and any at random.
namespace moves {

using oracle::Axis;

enum class Kind { even, irregular, cyclic, rotated, unstructured, whole };
inline constexpr std::array<Kind, 6> kinds = {Kind::even,    Kind::irregular,    Kind::cyclic,
                                              Kind::rotated, Kind::unstructured, Kind::whole};

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// One axis of each kind, always the same; some coordinates of irregular ones hold nothing.
inline Axis small_axis(Kind kind, Index size, Index grid) {
  List counts(at(grid), 0);
  if (kind == Kind::cyclic) return oracle::cyclic(size, 1, grid);
  if (kind == Kind::rotated) return oracle::cyclic(size, 2, grid, grid / 2);
  if (kind == Kind::even) {
    const Index length = (size + grid - 1) / grid;
    for (Index c = 0, left = size; c < grid; left -= counts[at(c)], ++c) counts[at(c)] = std::min(length, left);
    return oracle::block(counts);
  }
  if (kind == Kind::unstructured) {
    std::vector<List> lists(at(grid));
    for (Index g = 0; g < size; ++g)
      lists[at(7 * g * g % 11 % grid)].insert(lists[at(7 * g * g % 11 % grid)].begin(), g);
    return oracle::unstructured(lists, true);
  }
  for (Index g = 0; g < size; ++g) ++counts[at(g % 3 == 0 ? grid - 1 : g % grid / 2)];
  return oracle::block(counts);
}

inline std::vector<Index> ranks_from(Index first, Index count) {
  List ranks;
  for (Index r = 0; r < count; ++r) ranks.push_back(first + r);
  return ranks;
}

inline Side plain_side(std::vector<Axis> axes) {
  Array array(std::move(axes));
  const Index count = array.processes();
  return {std::move(array), ranks_from(0, count)};
}

/// Calls `visit` with every pair of kinds of one axis, for grids up to `processes`.
inline void for_each_pair_of_axes(Index size, Index processes, const std::function<void(const Case&)>& visit) {
  for (const Kind a : kinds)
    for (const Kind b : kinds)
      for (Index p = 1; p <= processes; ++p)
        for (Index q = 1; q <= processes; ++q) {
          if ((a == Kind::whole && p > 1) || (b == Kind::whole && q > 1)) continue;
          visit({plain_side({small_axis(a, size, p)}), plain_side({small_axis(b, size, q)}), {}});
        }
}

/// Draws numbers that are the same on every machine.
class Dice {
 public:
  explicit Dice(Index seed) : random_(static_cast<std::mt19937::result_type>(seed)) {}
  Index up_to(Index most) { return static_cast<Index>(random_() % static_cast<std::mt19937::result_type>(most + 1)); }
  bool one_in(Index n) { return up_to(n - 1) == 0; }
  List shuffled(List list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[at(up_to(static_cast<Index>(i) - 1))]);
    return list;
  }

 private:
  std::mt19937 random_;
};

/// Ranges of indices, one after the other or one into the next: runs in which the lowest owner changes.
inline Axis overlapping_ranges(Index size, Index grid, Dice& dice) {
  std::vector<List> lists;
  for (Index c = 0; c < grid; ++c) {
    const Index begin = c * size / grid, end = (c + 1) * size / grid;
    const Index first = std::max<Index>(0, begin - dice.up_to(3)), last = std::min(size, end + dice.up_to(3));
    lists.push_back(ranks_from(first, last - first));
  }
  return oracle::unstructured(dice.one_in(2) ? lists : std::vector<List>(lists.rbegin(), lists.rend()));
}

/// Any axis of the indices from 0 to `size`; padded ones hold some of them twice, shared ones on several coordinates.
inline Axis any_axis(Index size, Index grid, Dice& dice) {
  const Index choice = dice.up_to(9);
  if (choice < 2) return oracle::cyclic(size, 1 + dice.up_to(3), grid, dice.up_to(grid - 1));
  if (choice == 2 && dice.one_in(2)) return overlapping_ranges(size, grid, dice);
  if (choice < 4) {
    std::vector<List> lists(at(grid));
    for (const Index g : dice.shuffled(ranks_from(0, size))) lists[at(dice.up_to(grid - 1))].push_back(g);
    if (choice == 3 || size == 0) return oracle::unstructured(lists, true);
    lists[at(dice.up_to(grid - 1))].push_back(dice.up_to(size - 1));  // twice, on one coordinate or on two
    for (List& list : lists) {
      const std::set<Index> distinct(list.begin(), list.end());
      list = dice.shuffled(List(distinct.begin(), distinct.end()));
    }
    return oracle::unstructured(lists);
  }
  if (choice == 4) return small_axis(Kind::even, size, grid);
  List counts(at(grid), 0), shared;
  for (Index g = 0; g < size; ++g) ++counts[at(std::min(dice.up_to(grid - 1), dice.up_to(grid - 1)))];
  if (choice < 7) return oracle::block(counts);
  for (std::size_t i = 1; i < counts.size(); ++i) shared.push_back(dice.up_to(std::min(counts[i - 1], counts[i])));
  std::array<Index, 2> edges = {dice.up_to(counts.front()), dice.up_to(counts.back())};
  while (std::max(edges[0], edges[1]) > size - edges[0] - edges[1]) edges = {edges[0] / 2, edges[1] / 2};
  return oracle::block(counts, shared, edges, dice.one_in(2));
}

/// A grid of at most `processes` places.
inline List any_grid(Index ndim, Index processes, Dice& dice) {
  List grid(at(ndim), 1);
  if (ndim == 0) return grid;
  Index left = dice.one_in(2) ? processes : 1 + dice.up_to(processes - 1);
  for (Index prime = 2; left > 1; ++prime)
    for (; left % prime == 0; left /= prime) grid[at(dice.up_to(ndim - 1))] *= prime;
  return grid;
}

inline Side any_side(const List& shape, Index processes, Dice& dice) {
  const List grid = any_grid(static_cast<Index>(shape.size()), processes, dice);
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < shape.size(); ++i) axes.push_back(any_axis(shape[i], grid[i], dice));
  Side side = plain_side(std::move(axes));
  if (dice.one_in(2)) return side;
  side.ranks = dice.shuffled(ranks_from(0, processes));
  side.ranks.resize(at(side.array.processes()));
  return side;
}

/// Sizes of at most about `most` elements.
inline List any_shape(Index ndim, Index most, Dice& dice) {
  List shape;
  Index left = most;
  for (Index i = 0; i < ndim; ++i) {
    Index widest = 1;
    while (widest < 24 &&
           std::pow(static_cast<double>(widest + 1), static_cast<double>(ndim - i)) < 3.0 * static_cast<double>(left))
      ++widest;
    shape.push_back(dice.one_in(40) ? 0 : 1 + dice.up_to(std::min(widest, left) - 1));
    left = std::max<Index>(1, left / std::max<Index>(1, shape.back()));
  }
  return dice.shuffled(shape);
}

/// Any move at all between `processes`.
inline Case any_case(Index seed, Index processes, Index most = 600) {
  Dice dice(seed);
  const Index ndim = dice.one_in(3) ? dice.up_to(8) : 1 + dice.up_to(3);
  const List shape = any_shape(ndim, most, dice);
  Mapping mapping;
  mapping.fill_padding = dice.one_in(3);
  mapping.partial = dice.one_in(5);
  Side source = any_side(shape, processes, dice);
  List other = shape;
  if (dice.one_in(3) && ndim > 0) {
    mapping.fill_padding = false;
    mapping.ravel = dice.one_in(2) ? tridap::Order::row_major : tridap::Order::column_major;
    Index count = 1;
    for (const Index extent : shape) count *= extent;
    other = {count};
  } else if (dice.one_in(3)) {
    mapping.axes = dice.shuffled(ranks_from(0, ndim));
    for (std::size_t i = 0; i < shape.size(); ++i) other[i] = shape[at(mapping.axes[i])];
  }
  if (mapping.partial)
    for (Index& extent : other) extent = std::max<Index>(0, extent + dice.up_to(4) - 2);
  Side target = any_side(other, processes, dice);
  if (mapping.ravel && dice.one_in(2)) std::swap(source, target);
  return {std::move(source), std::move(target), mapping};
}

/// An axis in runs of `run` indices, or of any length.
inline Axis axis_in_runs(Index size, Index grid, Index run, Dice& dice) {
  const Index choice = dice.up_to(3);
  if (choice == 0) return small_axis(Kind::even, size, grid);
  if (choice == 1) return oracle::cyclic(size, run * (1 + dice.up_to(2)), grid, dice.up_to(grid - 1));
  if (choice == 2) return oracle::cyclic(size, 1 + dice.up_to(4 * run), grid, dice.up_to(grid - 1));
  List counts(at(grid), 0);
  for (Index left = size, c = 0; c < grid; ++c) {
    counts[at(c)] = c + 1 == grid ? left : std::min(left, run * dice.up_to(2 * size / run / grid));
    left -= counts[at(c)];
  }
  return oracle::block(counts);
}

/// A few rows of several thousand bytes for each process, in long runs.
inline Case long_rows(Index seed, Index processes, Index element_bytes) {
  Dice dice(seed);
  const Index height = 1 + dice.up_to(9), run = std::max<Index>(1, 512 / element_bytes);
  const Index width = processes * (8192 / element_bytes + dice.up_to(100));
  const auto side = [&] {
    const List grid = any_grid(2, processes, dice);
    std::vector<Axis> axes = {any_axis(height, grid[0], dice), axis_in_runs(width, grid[1], run, dice)};
    Side made = plain_side(std::move(axes));
    made.ranks = dice.shuffled(ranks_from(0, processes));
    made.ranks.resize(at(made.array.processes()));
    return made;
  };
  Side source = side();
  return {std::move(source), side(), {}};
}

}  // namespace moves
