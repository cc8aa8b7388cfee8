#include "cyclic.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/process_numbers.hpp>
#include <tridap/small_list.hpp>

#include <algorithm>
#include <utility>

namespace tridap {

namespace {

using Near = SmallList<Index, 8>;  // one number for each axis, without an allocation

// The interior elements of the coordinates before `c`, which may be the number of all. The mirrors of a periodic axis
// are at its ends.
Index before(const Axis& axis, const BlockKind& block, Index c) {
  const auto [left, right] = axis.mirrors();
  const Index end = std::max(left, block.size() - right);
  return std::clamp(block.begin(c), left, end) - left;
}

// Of the coordinates that are served before turn `turn`.
Index before_turn(const CyclicKind& cyclic, Index turn) {
  const Index size = cyclic.size(), length = cyclic.block_size(), grid = cyclic.grid();
  const Index rounds = size / length / grid, rest = size - rounds * length * grid;  // at most `size`
  return turn * rounds * length + std::min(rest, checked_multiply(turn, length).value_or(rest));
}

// The coordinates from `first` on are served before those from 0 to `first`.
Index before(const CyclicKind& cyclic, Index c) {
  const Index first = cyclic.first(), wrap = cyclic.grid() - first;
  const Index last_served = before_turn(cyclic, wrap + std::min(c, first)) - before_turn(cyclic, wrap);
  return last_served + (c > first ? before_turn(cyclic, c - first) : 0);
}

std::vector<Index> bounds_of(const UnstructuredKind& lists) {
  std::vector<Index> bounds{0};
  bounds.reserve(static_cast<std::size_t>(lists.grid()) + 1);
  for (Index c = 0; c < lists.grid(); ++c) bounds.push_back(bounds.back() + lists.count(c));
  return bounds;
}

// The position of an element in a process's memory. `shape` is that of its interior, and `at` the element in it.
Index position(const Near& at, const Near& shape, const MemoryOrder* order) {
  Index position = 0;
  for (std::size_t k = 0; k < at.size(); ++k) {
    const std::size_t axis = order == nullptr ? k : static_cast<std::size_t>(order->axes[k]);
    const bool reversed = order != nullptr && order->reversed[axis];
    position = position * shape[axis] + (reversed ? shape[axis] - 1 - at[axis] : at[axis]);
  }
  return position;
}

}  // namespace

ProcessNumbers::ProcessNumbers(const Distribution& distribution, std::vector<MemoryOrder> orders)
    : distribution_(distribution),
      orders_(std::move(orders)),
      inside_(static_cast<std::size_t>(distribution.ndim()) + 1, 1),
      bounds_(static_cast<std::size_t>(distribution.ndim())) {
  std::optional<Index> all = 1;
  bool empty = false;
  for (auto i = static_cast<std::size_t>(distribution.ndim()); i-- > 0;) {
    const Axis& axis = distribution.axis(static_cast<Index>(i));
    if (const auto* lists = axis.unstructured()) bounds_[i] = bounds_of(*lists);
    const Index of_axis = before(i, axis.proc_grid_size());
    empty = empty || of_axis == 0;
    all = all ? checked_multiply(*all, of_axis) : std::nullopt;
    inside_[i] = all.value_or(0);
  }
  if (!all && !empty) refuse("the number of elements does not fit 64 bits", "", "use fewer elements");
  if (empty) inside_.front() = 0;
}

// The interior elements of an axis at the coordinates before this one.
Index ProcessNumbers::before(std::size_t axis, Index coordinate) const {
  if (!bounds_[axis].empty()) return bounds_[axis][static_cast<std::size_t>(coordinate)];
  const Axis& of = distribution_.axis(static_cast<Index>(axis));
  return of.block() != nullptr ? tridap::before(of, *of.block(), coordinate) : tridap::before(*of.cyclic(), coordinate);
}

// The coordinate that has an interior element of an axis, counted coordinate after coordinate.
Index ProcessNumbers::coordinate(std::size_t axis, Index place) const {
  Index first = 0;
  for (Index left = distribution_.axis(static_cast<Index>(axis)).proc_grid_size(); left > 1;) {
    const Index half = left / 2;
    if (before(axis, first + half) <= place) first += half;
    left -= half;
  }
  return first;
}

const MemoryOrder* ProcessNumbers::order(Index process) const {
  if (orders_.empty()) return nullptr;
  return &orders_[orders_.size() == 1 ? 0 : static_cast<std::size_t>(process)];
}

Index ProcessNumbers::first(Index process) const {
  if (count() == 0) return 0;
  Index first = 0, of_process = 1, inner = distribution_.processes();  // the last: along the axes that follow
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    inner /= distribution_.axis(static_cast<Index>(i)).proc_grid_size();
    const Index c = process / inner;
    process -= c * inner;
    const Index begin = before(i, c);
    first += of_process * begin * inside_[i + 1];
    of_process *= before(i, c + 1) - begin;
  }
  return first;
}

Index ProcessNumbers::process(Index number) const {
  Index process = 0, of_process = 1;
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    const Index step = of_process * inside_[i + 1], c = coordinate(i, number / step), begin = before(i, c);
    number -= begin * step;
    of_process *= before(i, c + 1) - begin;
    process = process * distribution_.axis(static_cast<Index>(i)).proc_grid_size() + c;
  }
  return process;
}

std::optional<Index> ProcessNumbers::number(const Index* global) const {
  const std::size_t ndim = bounds_.size();
  Near at(ndim), shape(ndim);
  Index first = 0, of_process = 1, process = 0;
  for (std::size_t i = 0; i < ndim; ++i) {
    const Axis& axis = distribution_.axis(static_cast<Index>(i));
    const std::optional<Location> place = axis.locate(global[i]);
    if (!place) return std::nullopt;
    const Index c = place->coordinate, begin = before(i, c);
    const Range inside = axis.part(c, Part::interior);
    if (!inside.contains(place->local)) return std::nullopt;
    at[i] = place->local - inside.begin;
    shape[i] = inside.size();
    first += of_process * begin * inside_[i + 1];
    of_process *= shape[i];
    process = process * axis.proc_grid_size() + c;
  }
  return first + position(at, shape, order(process));
}

std::optional<Indices> ProcessNumbers::global_index(Index number) const {
  if (number < 0 || number >= count()) return std::nullopt;
  const Index process = this->process(number);
  const std::vector<Range> inside = distribution_.part(process, Part::interior);
  const MemoryOrder* const order = this->order(process);
  Indices local(inside.size());
  number -= first(process);
  for (std::size_t k = inside.size(); k-- > 0;) {
    const std::size_t axis = order == nullptr ? k : static_cast<std::size_t>(order->axes[k]);
    const Index extent = inside[axis].size(), at = number % extent;
    local[axis] = inside[axis].begin + (order != nullptr && order->reversed[axis] ? extent - 1 - at : at);
    number /= extent;
  }
  return distribution_.global_index(process, local);
}

}  // namespace tridap
