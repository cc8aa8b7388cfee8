#pragma once

#include <tridap/axis.hpp>
#include <tridap/dimension.hpp>
#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>
#include <tridap/report.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

/// What the protocol must answer, found slowly by writing everything out: no formula, and no code of the library.
namespace oracle {

using tridap::Dimension;
using tridap::Index;
using tridap::Part;
using tridap::Range;
using tridap::Run;
using List = std::vector<Index>;

inline constexpr std::array<Part, 3> parts = {Part::local, Part::owned, Part::interior};

/// One axis: what each coordinate says, and each coordinate's buffer as the list of its global indices.
struct Axis {
  std::vector<Dimension> dims;
  std::vector<List> held;
  std::vector<Range> owned, interior;  // local indices

  Index size() const { return dims[0].size; }
  Index grid() const { return static_cast<Index>(dims.size()); }
  const List& held_by(Index c) const { return held[static_cast<std::size_t>(c)]; }

  Range part(Index c, Part which) const {
    const auto i = static_cast<std::size_t>(c);
    return which == Part::local ? Range{0, static_cast<Index>(held[i].size())}
                                : (which == Part::owned ? owned[i] : interior[i]);
  }
  std::optional<Index> find(Index c, Index global, Part which) const {
    const Range range = part(c, which);
    for (Index l = range.begin; l < range.end; ++l)
      if (held_by(c)[static_cast<std::size_t>(l)] == global) return l;
    return {};
  }
  List owners(Index global) const {
    List all;
    for (Index c = 0; c < grid(); ++c)
      if (find(c, global, Part::owned)) all.push_back(c);
    return all;
  }
};

inline Dimension dimension(Index size, Index grid, Index rank) {
  Dimension d;
  d.size = size;
  d.proc_grid_size = grid;
  d.proc_grid_rank = rank;
  return d;
}

/// Blocks of `counts` owned elements in a row. `shared[i]` elements beside the border of coordinates i and i + 1 are
/// communication padding on the other side; `edges` are the boundary widths.
inline Axis block(const List& counts, const List& shared = {}, std::array<Index, 2> edges = {0, 0},
                  bool periodic = false) {
  const Index grid = static_cast<Index>(counts.size());
  Index size = 0;
  for (Index count : counts) size += count;
  Axis axis;
  Index first = 0;
  for (Index c = 0; c < grid; ++c) {
    const auto i = static_cast<std::size_t>(c);
    const Index left = c == 0 || shared.empty() ? 0 : shared[i - 1];
    const Index right = c == grid - 1 || shared.empty() ? 0 : shared[i];
    const Index start = first - left, stop = first + counts[i] + right;
    List held;
    for (Index g = start; g < stop; ++g) held.push_back(g);
    const Range owned{left, left + counts[i]};
    Range interior = owned;
    if (periodic && c == 0) interior.begin += edges[0];
    if (periodic && c == grid - 1) interior.end -= edges[1];
    Dimension d = dimension(size, grid, c);
    tridap::Block said{start, stop, {}};
    if (!shared.empty() || edges != std::array<Index, 2>{0, 0})
      said.padding = std::array<Index, 2>{c == 0 ? edges[0] : left, c == grid - 1 ? edges[1] : right};
    d.dist = said;
    d.periodic = periodic;
    axis.dims.push_back(d);
    axis.held.push_back(held);
    axis.owned.push_back(owned);
    axis.interior.push_back(interior);
    first += counts[i];
  }
  return axis;
}

/// Deals `size` elements in blocks round the grid like cards, `first` being served first; dealing goes on past the end,
/// unrecorded, until everybody knows where a share would begin.
inline Axis cyclic(Index size, Index block_size, Index grid, Index first = 0) {
  Axis axis;
  axis.held.resize(static_cast<std::size_t>(grid));
  std::vector<std::optional<Index>> start(static_cast<std::size_t>(grid));
  Index served = first, of_this_block = 0;
  for (Index g = 0; g < size || g < grid * block_size; ++g) {
    const auto i = static_cast<std::size_t>(served);
    if (!start[i]) start[i] = g;
    if (g < size) axis.held[i].push_back(g);
    if (++of_this_block == block_size) {
      of_this_block = 0;
      if (++served == grid) served = 0;
    }
  }
  for (Index c = 0; c < grid; ++c) {
    Dimension d = dimension(size, grid, c);
    d.dist = tridap::Cyclic{*start[static_cast<std::size_t>(c)], block_size};
    axis.dims.push_back(d);
    axis.owned.push_back(axis.part(c, Part::local));
  }
  axis.interior = axis.owned;
  return axis;
}

/// The lists as they are; `size` is the sum of their lengths.
inline Axis unstructured(const std::vector<List>& lists, bool one_to_one = false) {
  Axis axis;
  axis.held = lists;
  Index size = 0;
  for (const List& list : lists) size += static_cast<Index>(list.size());
  for (std::size_t c = 0; c < lists.size(); ++c) {
    Dimension d = dimension(size, static_cast<Index>(lists.size()), static_cast<Index>(c));
    d.dist = tridap::Unstructured{tridap::IndexBuffer(lists[c]), one_to_one};
    axis.dims.push_back(d);
    axis.owned.push_back(axis.part(static_cast<Index>(c), Part::local));
  }
  axis.interior = axis.owned;
  return axis;
}

/// The runs of a list between two local indices: a new one wherever the next element is not the next number.
inline std::vector<Run> runs(const List& held, Range range) {
  std::vector<Run> all;
  for (Index l = range.begin; l < range.end; ++l) {
    const Index g = held[static_cast<std::size_t>(l)];
    if (!all.empty() && all.back().global + all.back().length == g)
      ++all.back().length;
    else
      all.push_back({g, l, 1});
  }
  return all;
}

/// Every way to write `total` as `terms` numbers >= 0, in order.
inline std::vector<List> splits(Index total, Index terms) {
  if (terms == 1) return {{total}};
  std::vector<List> all;
  for (Index head = 0; head <= total; ++head)
    for (List rest : splits(total - head, terms - 1)) {
      rest.insert(rest.begin(), head);
      all.push_back(rest);
    }
  return all;
}

/// Calls `visit` with every index of a box, the last axis moving fastest.
inline void for_each_index(const List& shape, const std::function<void(const List&)>& visit) {
  List at;
  const std::function<void()> next_axis = [&] {
    if (at.size() == shape.size()) return visit(at);
    const Index extent = shape[at.size()];
    for (Index i = 0; i < extent; ++i) {
      at.push_back(i);
      next_axis();
      at.pop_back();
    }
  };
  next_axis();
}

/// The axes of all kinds that the tests of whole arrays mix: empty shares, padding, rotation, gaps, shared indices.
inline std::vector<Axis> mixed_axes() {
  return {block({3}),         block({2, 0, 1}), block({2, 2}, {1}, {1, 0}),   block({3, 2}, {1}, {1, 1}, true),
          cyclic(5, 2, 2, 1), cyclic(2, 1, 3),  unstructured({{7, -2}, {0}}), unstructured({{4, 1}, {1, 9}})};
}

/// A whole array as a product of axes, element by element.
struct Array {
  struct Element {
    List local, global;
  };

  std::vector<Axis> axes;
  std::vector<List> grid;  // the coordinates of each process, by rank: the last one moves fastest

  explicit Array(std::vector<Axis> of_each_axis) : axes(std::move(of_each_axis)) {
    List shape;
    for (const Axis& axis : axes) shape.push_back(axis.grid());
    for_each_index(shape, [&](const List& at) { grid.push_back(at); });
  }

  Index processes() const { return static_cast<Index>(grid.size()); }
  const List& coordinates(Index process) const { return grid[static_cast<std::size_t>(process)]; }

  tridap::Distribution distribution() const {
    std::vector<tridap::Axis> made;
    for (const Axis& axis : axes) made.emplace_back(axis.dims);
    return tridap::Distribution(made);
  }

  /// The elements of a part of one process's buffer, row-major.
  std::vector<Element> elements(Index process, Part part) const {
    List shape;
    for (std::size_t i = 0; i < axes.size(); ++i) shape.push_back(axes[i].part(coordinates(process)[i], part).size());
    std::vector<Element> all;
    for_each_index(shape, [&](const List& step) {
      Element element{step, step};
      for (std::size_t i = 0; i < axes.size(); ++i) {
        const Index c = coordinates(process)[i];
        element.local[i] += axes[i].part(c, part).begin;
        element.global[i] = axes[i].held_by(c)[static_cast<std::size_t>(element.local[i])];
      }
      all.push_back(element);
    });
    return all;
  }

  std::vector<Dimension> dim_data(Index process) const {
    std::vector<Dimension> dims;
    for (std::size_t i = 0; i < axes.size(); ++i)
      dims.push_back(axes[i].dims[static_cast<std::size_t>(coordinates(process)[i])]);
    return dims;
  }

  List local_shape(Index process) const {
    List shape;
    for (std::size_t i = 0; i < axes.size(); ++i)
      shape.push_back(static_cast<Index>(axes[i].held_by(coordinates(process)[i]).size()));
    return shape;
  }

  /// Every global index that somebody can name, counted from 0 with the last axis (or the first one) moving fastest. An
  /// unstructured axis counts all numbers from its smallest to its largest index, or those that somebody holds.
  std::map<List, Index> flat_numbers(bool column_major = false, bool without_gaps = false) const {
    std::vector<List> names;
    for (const Axis& axis : axes) {
      Index first = 0, end = axis.size();
      if (axis.dims[0].dist_type() == 'u') {
        List all;
        for (const List& held : axis.held) all.insert(all.end(), held.begin(), held.end());
        first = all.empty() ? 0 : *std::min_element(all.begin(), all.end());
        end = all.empty() ? 0 : *std::max_element(all.begin(), all.end()) + 1;
      }
      names.emplace_back();
      for (Index g = first; g < end; ++g)
        if (!without_gaps || !axis.owners(g).empty()) names.back().push_back(g);
    }
    if (column_major) std::reverse(names.begin(), names.end());
    List shape;
    for (const List& of_axis : names) shape.push_back(static_cast<Index>(of_axis.size()));
    std::map<List, Index> numbers;
    for_each_index(shape, [&](const List& at) {
      List global;
      for (std::size_t i = 0; i < at.size(); ++i) global.push_back(names[i][static_cast<std::size_t>(at[i])]);
      if (column_major) std::reverse(global.begin(), global.end());
      const Index number = static_cast<Index>(numbers.size());
      numbers[global] = number;
    });
    return numbers;
  }
};

/// What every process says of an array that is a product of axes, with memory of its own.
inline std::vector<tridap::DistArray> processes_of(const std::vector<Axis>& axes) {
  const Array array(axes);
  std::vector<tridap::DistArray> all(array.grid.size());
  for (Index p = 0; p < array.processes(); ++p) {
    tridap::DistArray& part = all[static_cast<std::size_t>(p)];
    part.dim_data = array.dim_data(p);
    part.buffer = tridap::allocate(tridap::element_type<double>(), array.local_shape(p));
  }
  return all;
}

/// The address of one element, and of all in row-major order.
inline std::byte* address(const tridap::Buffer& buffer, const List& at) {
  auto* here = static_cast<std::byte*>(buffer.data);
  for (std::size_t i = 0; i < at.size(); ++i) here += at[i] * buffer.strides[i];
  return here;
}

inline std::vector<std::byte*> addresses(const tridap::Buffer& buffer) {
  std::vector<std::byte*> all;
  for_each_index(buffer.shape, [&](const List& at) { all.push_back(address(buffer, at)); });
  return all;
}

/// Dense memory of `shape` whose axes stand in the order `axes` (outermost first), some of them running backwards;
/// `lowest` is its lowest address.
inline tridap::Buffer dense_buffer(void* lowest, tridap::ElementType type, const List& shape,
                                   const std::vector<Index>& axes, const std::vector<bool>& backwards) {
  tridap::Buffer buffer;
  buffer.type = type;
  buffer.shape = shape;
  buffer.strides.resize(shape.size());
  auto* first = static_cast<std::byte*>(lowest);
  Index step = type.bytes;
  for (std::size_t k = axes.size(); k-- > 0;) {
    const auto i = static_cast<std::size_t>(axes[k]);
    buffer.strides[i] = backwards[i] ? -step : step;
    if (backwards[i] && shape[i] > 0) first += step * (shape[i] - 1);
    step *= std::max<Index>(shape[i], 1);
  }
  buffer.data = first;
  return buffer;
}

/// How a buffer stands in memory: its axes, outermost first, those that run backwards, and the bytes left out after
/// each element and each row of an axis.
struct Stand {
  List axes;
  std::vector<bool> backwards;
  Index gap = 0;
};

inline Stand row_major(std::size_t ndim) {
  Stand stand{{}, std::vector<bool>(ndim, false), 0};
  for (std::size_t i = 0; i < ndim; ++i) stand.axes.push_back(static_cast<Index>(i));
  return stand;
}

/// Memory for a buffer whose type and shape are set, each byte of which is `hole`.
inline std::vector<std::byte> laid_out(tridap::Buffer& buffer, const Stand& stand, std::byte hole) {
  Index step = buffer.type.bytes + stand.gap, first = 0;
  buffer.strides.resize(buffer.shape.size());
  for (std::size_t k = stand.axes.size(); k-- > 0;) {
    const auto i = static_cast<std::size_t>(stand.axes[k]);
    buffer.strides[i] = stand.backwards[i] ? -step : step;
    if (stand.backwards[i] && buffer.shape[i] > 0) first += step * (buffer.shape[i] - 1);
    step = step * std::max<Index>(buffer.shape[i], 1) + stand.gap;
  }
  std::vector<std::byte> memory(static_cast<std::size_t>(step), hole);
  buffer.data = memory.data() + first;
  return memory;
}

/// Calls `visit(axes, backwards)` for every order of `ndim` axes and every choice of those that run backwards.
inline void for_each_memory_order(
    std::size_t ndim, const std::function<void(const std::vector<Index>&, const std::vector<bool>&)>& visit) {
  std::vector<Index> axes;
  for (std::size_t i = 0; i < ndim; ++i) axes.push_back(static_cast<Index>(i));
  do for_each_index(List(ndim, 2), [&](const List& mask) { visit(axes, std::vector<bool>(mask.begin(), mask.end())); });
  while (std::next_permutation(axes.begin(), axes.end()));
}

using Counts = std::map<tridap::Rule, Index>;

}  // namespace oracle

namespace tridap {

inline bool operator==(const Range& a, const Range& b) { return a.begin == b.begin && a.end == b.end; }

}  // namespace tridap
