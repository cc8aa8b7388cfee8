#pragma once

#include <dap/distribution.hpp>
#include <dap/memory_order.hpp>

#include <vector>

namespace dap {

enum class Order { row_major, column_major };

/// One number for each element of an array: its global indices ravelled (PROTOCOL, Flat numbers).
///
/// Axes count with their `size`; an unstructured axis is first numbered by `index - min` over the span of its indices,
/// since these may exceed `size` or be negative. For a 3 x 5 array, `number({2, 1})` is 11, and 5 in column-major
/// order.
class FlatNumbers {
 public:
  /// Throws Error where the numbers do not fit 64 bits.
  explicit FlatNumbers(const Distribution& distribution, Order order = Order::row_major);

  Index count() const { return count_; }  ///< every number is in `[0, count())`
  Index number(const Indices& global) const;
  /// What one axis adds to the number: number(global) is the sum over the axes.
  Index number(Index axis, Index global) const {
    return (global - first_[static_cast<std::size_t>(axis)]) * weight(axis);
  }
  /// How far apart the numbers of neighbours on an axis are.
  Index weight(Index axis) const { return weight_[static_cast<std::size_t>(axis)]; }

  /// The numbers of a part of one process's buffer, in memory order; as `Number`, a 64-bit integer.
  template <class Number = Index>
  std::vector<Number> list(Index process, Part part, const MemoryOrder& order) const;

 private:
  // What each index of an axis adds to the number, along the part and in the order of memory.
  std::vector<Index> steps(Index process, Part part, const MemoryOrder& order, Index axis) const;

  Distribution distribution_;
  std::vector<Index> first_, weight_;
  Index count_ = 1;
};

template <class Number>
std::vector<Number> FlatNumbers::list(Index process, Part part, const MemoryOrder& order) const {
  static_assert(sizeof(Number) == sizeof(Index), "flat numbers are 64-bit");
  std::vector<Number> numbers(static_cast<std::size_t>(distribution_.count(process, part)));
  if (numbers.empty()) return numbers;
  // From the innermost axis outwards: each index of an axis shifts the numbers of all that stands inside it. The first
  // of them is done last, since it is what the others are copied from.
  std::size_t inner = 1;
  for (std::size_t k = order.axes.size(); k-- > 0;) {
    const std::vector<Index> shifts = steps(process, part, order, order.axes[k]);
    for (std::size_t step = shifts.size(); step-- > 0;)
      for (std::size_t j = 0; j < inner; ++j)
        numbers[step * inner + j] = numbers[j] + static_cast<Number>(shifts[step]);
    inner *= shifts.size();
  }
  return numbers;
}

}  // namespace dap
