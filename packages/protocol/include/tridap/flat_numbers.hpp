#pragma once

#include <tridap/distribution.hpp>
#include <tridap/memory_order.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace tridap {

enum class Order { row_major, column_major };

/// How the indices of an unstructured axis become numbers.
enum class UnstructuredIds {
  with_gaps,  ///< `index - min`: arithmetic alone, and indices that no process holds leave gaps
  compact,    ///< the position among the sorted distinct indices: no gaps, but a table where there were any
};

/// One number for each element of an array: its global indices ravelled (PROTOCOL, Flat numbers).
///
/// Axes count with their `size`; an unstructured axis is first numbered by `index - min` over the span of its indices,
/// since these may exceed `size` or be negative, or without the gaps between them. For a 3 x 5 array, `number({2, 1})`
/// is 11, and 5 in column-major order; `global_index(11)` is {2, 1}. On an axis of the indices 7, -2 and 0, the number
/// of 7 is 9, and 2 with closed gaps.
class FlatNumbers {
 public:
  /// Throws Error where the numbers do not fit 64 bits.
  explicit FlatNumbers(const Distribution& distribution, Order order = Order::row_major,
                       UnstructuredIds ids = UnstructuredIds::with_gaps);

  Index count() const { return count_; }  ///< every number is in `[0, count())`
  /// How many numbers list() has.
  Index count(Index process, Part part) const { return distribution_.count(process, part); }
  /// The number of an element that somebody holds.
  Index number(const Indices& global) const;
  /// What one axis adds to the number: number(global) is the sum over the axes.
  Index number(Index axis, Index global) const {
    if (closed_ != nullptr) return position(axis, global) * weight(axis);
    return (global - first_[static_cast<std::size_t>(axis)]) * weight(axis);
  }
  /// The global indices of the element that has a number; nothing: no element has it.
  std::optional<Indices> global_index(Index number) const;
  /// How far apart the numbers of neighbours on an axis are.
  Index weight(Index axis) const { return weight_[static_cast<std::size_t>(axis)]; }

  /// The numbers of a part of one process's buffer, in memory order; as `Number`, a 64-bit integer.
  template <class Number = Index>
  std::vector<Number> list(Index process, Part part, const MemoryOrder& order) const;
  /// The same into memory for as many.
  template <class Number>
  void write(Index process, Part part, const MemoryOrder& order, Number* numbers) const;

 private:
  // `numbers` begins with the `inner` ones that stand at the first step along an axis; adds those of all its steps.
  template <class Number>
  void repeat(Index axis, Index coordinate, Part part, bool reversed, Number* numbers, Index inner) const;
  // The table of an axis; null where it has none.
  const std::vector<Index>* distinct(Index axis) const;
  // Where a global index stands among those of an axis.
  Index position(Index axis, Index global) const;

  Distribution distribution_;
  std::vector<Index> outward_;         // the axes from the innermost to the outermost one
  std::vector<Index> first_, weight_;  // by axis
  Index count_ = 1;
  // By axis: the sorted distinct indices, where there are gaps between them that are closed; null where on no axis.
  std::shared_ptr<const std::vector<std::vector<Index>>> closed_;
};

template <class Number>
std::vector<Number> FlatNumbers::list(Index process, Part part, const MemoryOrder& order) const {
  std::vector<Number> numbers(static_cast<std::size_t>(distribution_.count(process, part)));
  write(process, part, order, numbers.data());
  return numbers;
}

template <class Number>
void FlatNumbers::write(Index process, Part part, const MemoryOrder& order, Number* numbers) const {
  static_assert(sizeof(Number) == sizeof(Index), "flat numbers are 64-bit");
  if (distribution_.count(process, part) == 0) return;
  const Indices at = distribution_.coordinates(process);
  const std::vector<Range> box = distribution_.part(process, part);
  Indices first;  // local
  for (std::size_t i = 0; i < box.size(); ++i) first.push_back(order.reversed[i] ? box[i].end - 1 : box[i].begin);
  numbers[0] = static_cast<Number>(number(distribution_.global_index(process, first)));
  Index inner = 1;
  for (std::size_t k = order.axes.size(); k-- > 0;) {
    const auto i = static_cast<std::size_t>(order.axes[k]);
    repeat(order.axes[k], at[i], part, order.reversed[i], numbers, inner);
    inner *= box[i].size();
  }
}

template <class Number>
void FlatNumbers::repeat(Index axis, Index coordinate, Part part, bool reversed, Number* numbers, Index inner) const {
  const Axis& along = distribution_.axis(axis);
  const Range range = along.part(coordinate, part);
  const Index start = reversed ? range.end - 1 : range.begin, way = reversed ? -inner : inner;
  const Index first = number(axis, along.global_index(coordinate, start));
  along.for_each(coordinate, part, [this, axis, first, start, way, numbers, inner](Index local, Index global) {
    const auto shift = static_cast<Number>(number(axis, global) - first);
    Number* const row = numbers + (local - start) * way;
    for (Index j = 0; j < inner; ++j) row[j] = numbers[j] + shift;
  });
}

}  // namespace tridap
