#include <tridap/flat_numbers.hpp>

#include <algorithm>
#include <utility>

namespace tridap {

namespace {

// The sorted distinct indices of an unstructured axis with gaps; empty for other axes.
std::vector<Index> distinct_with_gaps(const Axis& axis) {
  std::vector<Index> found;
  const auto* kind = axis.unstructured();
  if (kind == nullptr || kind->distinct() == 0) return found;
  const auto [first, last] = *axis.extremes();
  Index span = 0;
  if (!__builtin_sub_overflow(last, first, &span) && span == kind->distinct() - 1) return found;
  found.reserve(static_cast<std::size_t>(kind->distinct()));
  for (const UnstructuredKind::Entry& entry : kind->entries())
    if (found.empty() || found.back() != entry.global) found.push_back(entry.global);
  return found;
}

std::shared_ptr<const std::vector<std::vector<Index>>> all_distinct_with_gaps(const Distribution& distribution) {
  std::vector<std::vector<Index>> of_axes;
  bool any = false;
  for (Index axis = 0; axis < distribution.ndim(); ++axis) {
    of_axes.push_back(distinct_with_gaps(distribution.axis(axis)));
    any = any || !of_axes.back().empty();
  }
  return any ? std::make_shared<const std::vector<std::vector<Index>>>(std::move(of_axes)) : nullptr;
}

// The extent of an axis in the ravel; nullopt if it does not fit 64 bits.
std::optional<Index> span(const Axis& axis, const std::vector<Index>* distinct) {
  if (distinct != nullptr) return static_cast<Index>(distinct->size());
  const auto extremes = axis.extremes();
  Index width = 0;
  if (!extremes) return width;
  if (__builtin_sub_overflow((*extremes)[1], (*extremes)[0], &width)) return std::nullopt;
  return checked_add(width, 1);
}

}  // namespace

FlatNumbers::FlatNumbers(const Distribution& distribution, Order order, UnstructuredIds ids)
    : distribution_(distribution),
      first_(static_cast<std::size_t>(distribution.ndim())),
      weight_(static_cast<std::size_t>(distribution.ndim())) {
  if (ids == UnstructuredIds::compact) closed_ = all_distinct_with_gaps(distribution);
  bool empty = false;
  std::optional<Index> weight = 1;
  for (Index k = 0; k < distribution.ndim(); ++k) {
    const Index axis = order == Order::row_major ? distribution.ndim() - 1 - k : k;
    const auto i = static_cast<std::size_t>(axis);
    const auto extremes = distribution.axis(axis).extremes();
    empty = empty || !extremes;
    outward_.push_back(axis);
    first_[i] = extremes ? (*extremes)[0] : 0;
    weight_[i] = weight.value_or(0);
    const auto numbers = span(distribution.axis(axis), distinct(axis));
    weight = weight && numbers ? checked_multiply(*weight, *numbers) : std::nullopt;
  }
  if (!weight && !empty)
    throw Error(Finding{Rule::conversion, {}, {}, "", "the flat numbers of the array do not fit 64 bits", "", ""});
  count_ = empty ? 0 : *weight;
}

std::optional<Indices> FlatNumbers::global_index(Index number) const {
  if (number < 0 || number >= count_) return std::nullopt;
  Indices global = indices(number);
  for (Index axis = 0; axis < distribution_.ndim(); ++axis)  // those of a table are held
    if (distinct(axis) == nullptr && !distribution_.axis(axis).owner(global[static_cast<std::size_t>(axis)]))
      return std::nullopt;
  return global;
}

Indices FlatNumbers::indices(Index number) const {
  Indices global(weight_.size());
  indices(number, global.data());
  return global;
}

void FlatNumbers::indices(Index number, Index* global) const {
  for (std::size_t k = outward_.size(); k-- > 0;) {
    const auto i = static_cast<std::size_t>(outward_[k]);
    const Index place = number / weight_[i];
    number -= place * weight_[i];
    const std::vector<Index>* const held = distinct(outward_[k]);
    global[i] = held != nullptr ? (*held)[static_cast<std::size_t>(place)] : first_[i] + place;
  }
}

const std::vector<Index>* FlatNumbers::distinct(Index axis) const {
  if (closed_ == nullptr) return nullptr;
  const std::vector<Index>& held = (*closed_)[static_cast<std::size_t>(axis)];
  return held.empty() ? nullptr : &held;
}

Index FlatNumbers::position(Index axis, Index global) const {
  const std::vector<Index>* held = distinct(axis);
  if (held == nullptr) return global - first_[static_cast<std::size_t>(axis)];
  return std::lower_bound(held->begin(), held->end(), global) - held->begin();
}

Index FlatNumbers::number(const Indices& global) const {
  Index number = 0;
  for (std::size_t i = 0; i < weight_.size(); ++i) number += this->number(static_cast<Index>(i), global[i]);
  return number;
}

}  // namespace tridap
