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
  for (std::size_t i = 0; i < weight_.size(); ++i) number += (global[i] - first_[i]) * weight_[i];
  return number;
}

std::vector<Index> FlatNumbers::list(Index process, Part part, const MemoryOrder& order) const {
  const Indices at = distribution_.coordinates(process);
  const std::vector<Range> box = distribution_.part(process, part);
  std::vector<Index> numbers{0};
  if (distribution_.count(process, part) == 0) return {};
  // From the innermost axis outwards: each index of an axis shifts the numbers of all that stands inside it.
  for (std::size_t k = order.axes.size(); k-- > 0;) {
    const Index axis = order.axes[k];
    const auto i = static_cast<std::size_t>(axis);
    const std::size_t inner = numbers.size();
    const auto extent = static_cast<std::size_t>(box[i].size());
    numbers.resize(inner * extent);
    for (std::size_t step = extent; step-- > 0;) {  // the first block last: it is the source of the others
      const Index local =
          order.reversed[i] ? box[i].end - 1 - static_cast<Index>(step) : box[i].begin + static_cast<Index>(step);
      const Index shift = (distribution_.axis(axis).global_index(at[i], local) - first_[i]) * weight_[i];
      for (std::size_t j = 0; j < inner; ++j) numbers[step * inner + j] = numbers[j] + shift;
    }
  }
  return numbers;
}

}  // namespace dap
