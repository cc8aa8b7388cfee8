#include <tridap/detail/refuse.hpp>
#include <tridap/flat_numbers.hpp>
#include <tridap/internal/spread_lists.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tridap {

namespace {

PositionsOfAxes all_positions(const Distribution& distribution) {
  std::vector<KnownPositions> of_axes;
  bool any = false;
  for (Index axis = 0; axis < distribution.ndim(); ++axis) {
    of_axes.push_back(all_positions(distribution.axis(axis)));
    any = any || !of_axes.back().indices.empty();
  }
  return any ? std::make_shared<const std::vector<KnownPositions>>(std::move(of_axes)) : nullptr;
}

// The extent of an axis in the ravel; nullopt if it does not fit 64 bits.
std::optional<Index> span(const Axis& axis, bool closed) {
  if (closed && has_gaps(axis)) return axis.unstructured()->distinct();
  const auto extremes = axis.extremes();
  Index width = 0;
  if (!extremes) return width;
  if (__builtin_sub_overflow((*extremes)[1], (*extremes)[0], &width)) return std::nullopt;
  return checked_add(width, 1);
}

[[noreturn]] void refuse_unknown(Index axis, const std::string& asked) {
  refuse("an unstructured axis is asked for " + asked,
         "but its lists stay on their processes, and this process knows the positions of its own indices alone",
         "gather the distribution with Reading::most_listed of at least the number of all indices", axis);
}

}  // namespace

bool has_gaps(const Axis& axis) {
  const auto* kind = axis.unstructured();
  if (kind == nullptr || kind->distinct() == 0) return false;
  const auto [first, last] = kind->extremes();
  Index span = 0;
  return __builtin_sub_overflow(last, first, &span) || span != kind->distinct() - 1;
}

KnownPositions all_positions(const Axis& axis) {
  KnownPositions all;
  if (!has_gaps(axis)) return all;
  const UnstructuredKind& kind = *axis.unstructured();
  all.indices.reserve(static_cast<std::size_t>(kind.distinct()));
  for (const UnstructuredKind::Entry& entry : kind.entries())
    if (all.indices.empty() || all.indices.back() != entry.global) all.indices.push_back(entry.global);
  return all;
}

FlatNumbers::FlatNumbers(const Distribution& distribution, Order order, UnstructuredIds ids)
    : distribution_(distribution) {
  if (ids == UnstructuredIds::compact) closed_ = all_positions(distribution);
  weigh(order);
}

FlatNumbers::FlatNumbers(const Distribution& distribution, Order order, PositionsOfAxes known)
    : distribution_(distribution), closed_(std::move(known)) {
  weigh(order);
}

void FlatNumbers::weigh(Order order) {
  first_.resize(static_cast<std::size_t>(distribution_.ndim()));
  weight_.resize(first_.size());
  bool empty = false;
  std::optional<Index> weight = 1;
  for (Index k = 0; k < distribution_.ndim(); ++k) {
    const Index axis = order == Order::row_major ? distribution_.ndim() - 1 - k : k;
    const auto i = static_cast<std::size_t>(axis);
    const auto extremes = distribution_.axis(axis).extremes();
    empty = empty || !extremes;
    outward_.push_back(axis);
    first_[i] = extremes ? (*extremes)[0] : 0;
    weight_[i] = weight.value_or(0);
    const auto numbers = span(distribution_.axis(axis), closed_ != nullptr);
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
    if (known(axis) == nullptr && !distribution_.axis(axis).owner(global[static_cast<std::size_t>(axis)]))
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
    const KnownPositions* const closed = known(outward_[k]);
    if (closed == nullptr) {
      global[i] = first_[i] + place;
      continue;
    }
    auto at = static_cast<std::size_t>(place);
    if (const std::vector<Index>& all = closed->positions; !all.empty() || closed->indices.empty()) {
      at = static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), place) - all.begin());
      if (at == all.size() || all[at] != place)
        refuse_unknown(outward_[k], "the index at position " + std::to_string(place));
    }
    global[i] = closed->indices[at];
  }
}

const KnownPositions* FlatNumbers::known(Index axis) const {
  if (closed_ == nullptr || !has_gaps(distribution_.axis(axis))) return nullptr;
  return &(*closed_)[static_cast<std::size_t>(axis)];
}

Index FlatNumbers::position(Index axis, Index global) const {
  const KnownPositions* const closed = known(axis);
  if (closed == nullptr) return global - first_[static_cast<std::size_t>(axis)];
  const std::vector<Index>& all = closed->indices;
  const auto at = std::lower_bound(all.begin(), all.end(), global);
  const bool is_whole = closed->positions.empty() && !all.empty();
  if (is_whole) return at - all.begin();
  if (at == all.end() || *at != global) refuse_unknown(axis, "the position of index " + std::to_string(global));
  return closed->positions[static_cast<std::size_t>(at - all.begin())];
}

Index FlatNumbers::number(const Indices& global) const {
  Index number = 0;
  for (std::size_t i = 0; i < weight_.size(); ++i) number += this->number(static_cast<Index>(i), global[i]);
  return number;
}

}  // namespace tridap
