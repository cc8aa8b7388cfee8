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

  /// The numbers of a part of one process's buffer, in memory order.
  std::vector<Index> list(Index process, Part part, const MemoryOrder& order) const;

 private:
  Distribution distribution_;
  std::vector<Index> first_, weight_;
  Index count_ = 1;
};

}  // namespace dap
