#include <dap/flat_numbers.hpp>

namespace dap {

FlatNumbers::FlatNumbers(const Distribution& distribution, Order order)
    : distribution_(distribution),
      first_(static_cast<std::size_t>(distribution.ndim())),
      weight_(static_cast<std::size_t>(distribution.ndim())) {
  bool empty = false;
  std::optional<Index> weight = 1;
  for (Index k = 0; k < distribution.ndim(); ++k) {
    const Index axis = order == Order::row_major ? distribution.ndim() - 1 - k : k;
    const auto extremes = distribution.axis(axis).extremes();
    const auto [first, last] = extremes.value_or(std::array<Index, 2>{0, 0});
    empty = empty || !extremes;
    first_[static_cast<std::size_t>(axis)] = first;
    weight_[static_cast<std::size_t>(axis)] = weight.value_or(0);
    Index span = 0;
    if (__builtin_sub_overflow(last, first, &span) || __builtin_add_overflow(span, 1, &span)) weight.reset();
    if (weight) weight = checked_multiply(*weight, span);
  }
  if (!weight && !empty)
    throw Error(Finding{Rule::conversion, {}, {}, "", "the flat numbers of the array do not fit 64 bits", "", ""});
  count_ = empty ? 0 : *weight;
}

Index FlatNumbers::number(const Indices& global) const {
  Index number = 0;
  for (std::size_t i = 0; i < weight_.size(); ++i) number += this->number(static_cast<Index>(i), global[i]);
  return number;
}

std::vector<Index> FlatNumbers::steps(Index process, Part part, const MemoryOrder& order, Index axis) const {
  const auto i = static_cast<std::size_t>(axis);
  const Index coordinate = distribution_.coordinates(process)[i];
  const Range range = distribution_.axis(axis).part(coordinate, part);
  std::vector<Index> shifts;
  for (Index step = 0; step < range.size(); ++step) {
    const Index local = order.reversed[i] ? range.end - 1 - step : range.begin + step;
    shifts.push_back(number(axis, distribution_.axis(axis).global_index(coordinate, local)));
  }
  return shifts;
}

}  // namespace dap
