#pragma once

#include <tridap/detail/refuse.hpp>
#include <tridap/distribution.hpp>
#include <tridap/memory_order.hpp>

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tridap {

enum class Order { row_major, column_major };

/// How the indices of an unstructured axis are numbered.
enum class UnstructuredIds {
  with_gaps,  ///< `index - min`: needs no table, but indices that no process holds leave gaps
  compact,    ///< the position among the sorted distinct indices: no gaps, but it needs a table if there were any
};

/// Of one unstructured axis: some of its indices, ascending, and the position of each among all distinct ones.
struct KnownPositions {
  std::vector<Index> indices;
  std::vector<Index> positions;  ///< empty although `indices` is not: 0, 1, 2, ..., all are known
};
/// By axis. Empty for an axis without gaps: the position of an index is `index - min` there. Null if no axis has gaps.
using PositionsOfAxes = std::shared_ptr<const std::vector<KnownPositions>>;

/// One number for each element of an array: its position in the whole array in row-major or column-major order, called
/// the ravel of its global indices (PROTOCOL, Flat numbers).
///
/// The extent of an axis in the ravel is its `size`. The indices of an unstructured axis may exceed `size` or be
/// negative. So they are numbered first, as UnstructuredIds says, and the extent is the count of these numbers. For a 3
/// x 5 array, `number({2, 1})` is 11 in row-major and 5 in column-major order; `global_index(11)` is {2, 1}. On an axis
/// of the indices 7, -2 and 0, the number of 7 is 9 with gaps and 2 if compact.
class FlatNumbers {
 public:
  /// Throws Error if the numbers do not fit 64 bits.
  explicit FlatNumbers(const Distribution& distribution, Order order = Order::row_major,
                       UnstructuredIds ids = UnstructuredIds::with_gaps);
  /// UnstructuredIds::compact, if lists stay on their processes: `known` has the positions of some indices. Other calls
  /// throw Error where the position of another index is asked for.
  FlatNumbers(const Distribution& distribution, Order order, PositionsOfAxes known);

  Index count() const { return count_; }  ///< all numbers are in `[0, count())`
  /// The length of list().
  Index count(Index process, Part part) const { return distribution_.count(process, part); }
  /// The number of an element that some process holds.
  Index number(const Indices& global) const;
  /// The contribution of one axis: number(global) is the sum over the axes.
  Index number(Index axis, Index global) const {
    if (closed_ != nullptr) return position(axis, global) * weight(axis);
    return (global - first_[static_cast<std::size_t>(axis)]) * weight(axis);
  }
  /// The global indices of the element that has a number. Returns nullopt if no element has it.
  std::optional<Indices> global_index(Index number) const;
  /// The same for a number in `[0, count())`, also if no element has it.
  Indices indices(Index number) const;
  /// The same, written to memory for one index of each axis.
  void indices(Index number, Index* global) const;
  /// The difference between the numbers of neighbouring elements along an axis.
  Index weight(Index axis) const { return weight_[static_cast<std::size_t>(axis)]; }

  /// The numbers of the elements in a part of one process's buffer, in memory order. Throws Error if the largest
  /// number, `count() - 1`, does not fit `Number`, an integer type.
  template <class Number = Index>
  std::vector<Number> list(Index process, Part part, const MemoryOrder& order) const;
  /// The same, written to memory for `count(process, part)` numbers.
  template <class Number>
  void write(Index process, Part part, const MemoryOrder& order, Number* numbers) const;

 private:
  // On entry `numbers` begins with the `inner` numbers of the first index along an axis. Writes those of all its
  // indices.
  template <class Number>
  void repeat(Index axis, Index coordinate, Part part, bool reversed, Number* numbers, Index inner) const;
  void weigh(Order order);
  // The table of an axis; null if it has none.
  const KnownPositions* known(Index axis) const;
  // The position of a global index among those of an axis.
  Index position(Index axis, Index global) const;

  Distribution distribution_;
  std::vector<Index> outward_;         // the axes from the innermost to the outermost one
  std::vector<Index> first_, weight_;  // by axis
  Index count_ = 1;
  PositionsOfAxes closed_;  // where gaps between indices are closed
};

template <class Number>
std::vector<Number> FlatNumbers::list(Index process, Part part, const MemoryOrder& order) const {
  std::vector<Number> numbers(static_cast<std::size_t>(distribution_.count(process, part)));
  write(process, part, order, numbers.data());
  return numbers;
}

template <class Number>
void FlatNumbers::write(Index process, Part part, const MemoryOrder& order, Number* numbers) const {
  static_assert(std::is_integral_v<Number>, "flat numbers are integers");
  if constexpr (sizeof(Number) < sizeof(Index))
    if (count_ - 1 > Index{std::numeric_limits<Number>::max()})
      refuse("the largest flat number is " + std::to_string(count_ - 1),
             "must be at most " + std::to_string(std::numeric_limits<Number>::max()), "use integers of 64 bits");
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
    for (Index j = 0; j < inner; ++j) row[j] = static_cast<Number>(numbers[j] + shift);
  });
}

}  // namespace tridap
