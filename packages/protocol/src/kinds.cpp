#include "cyclic.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/spread_lists.hpp>
#include <tridap/kinds.hpp>

#include <iterator>
#include <string>

namespace tridap {

detail::FastDivisor::FastDivisor(Index divisor) : divisor_(divisor) {
  __extension__ using Wide = unsigned __int128;
  while ((std::uint64_t{1} << shift_) < static_cast<std::uint64_t>(divisor)) ++shift_;
  const Wide power = Wide{1} << (63 + shift_);
  reciprocal_ = static_cast<std::uint64_t>((power + static_cast<std::uint64_t>(divisor) - 1) /
                                           static_cast<std::uint64_t>(divisor));
}

BlockKind::BlockKind(Index size, Index grid, Index length)
    : size_(size), grid_(grid), length_(std::max<Index>(length, 1)) {
  full_ = std::min(grid, size / length_.divisor() + (size % length_.divisor() != 0 ? 1 : 0));
}

BlockKind::BlockKind(std::vector<Index> bounds) : size_(bounds.back()), grid_(static_cast<Index>(bounds.size()) - 1) {
  const BlockKind even(size_, grid_, bounds[1]);
  bool same = size_ - bounds[bounds.size() - 2] <= even.length();
  for (Index c = 0; same && c <= grid_; ++c) same = even.begin(c) == bounds[static_cast<std::size_t>(c)];
  if (same) {
    length_ = even.length_;
    full_ = even.full_;
  } else {
    bounds_ = std::make_shared<const std::vector<Index>>(std::move(bounds));
    held_ = bounds_->data();
  }
}

BlockKind BlockKind::padded(std::vector<std::array<Index, 2>> padding, bool periodic) const {
  BlockKind padded = *this;
  padded.padding_ = std::make_shared<const std::vector<std::array<Index, 2>>>(std::move(padding));
  padded.periodic_ = periodic;
  std::vector<Index> held;
  for (Index c = 0; c < grid_; ++c) held.push_back(padded.begin(c) - padded.communication(c)[0]);
  padded.padded_ = std::make_shared<const std::vector<Index>>(std::move(held));
  padded.held_ = padded.padded_->data();
  return padded;
}

Range BlockKind::part(Index c, Part part) const {
  const Index first = begin(c), last = begin(c + 1);
  if (!padding_) return {0, last - first};
  const auto [left, right] = communication(c);
  const Range owned{left, left + (last - first)};
  if (part == Part::local) return {0, owned.end + right};
  if (part == Part::owned || !periodic_) return owned;
  const Index lower = std::clamp(edges()[0], first, last), upper = std::clamp(size_ - edges()[1], lower, last);
  return {lower - first + left, upper - first + left};
}

Index CyclicKind::count(Index c) const { return cyclic_count(size_, grid(), block_size(), turn(c)); }

namespace {

bool is_before_entry(const UnstructuredKind::Entry& a, const UnstructuredKind::Entry& b) {
  return a.global != b.global ? a.global < b.global : a.place.coordinate < b.place.coordinate;
}

[[noreturn]] void refuse_unknown(std::string asked) {
  refuse("an unstructured axis is asked for " + std::move(asked),
         "but its lists stay on their processes, and this process has not asked their directory for it",
         "call an operation that all processes make together, such as redistribute; or gather the distribution with "
         "Reading::most_listed of at least the number of all indices");
}

}  // namespace

UnstructuredKind::UnstructuredKind(std::vector<std::vector<Index>> lists, bool one_to_one) : one_to_one_(one_to_one) {
  auto found = std::make_shared<Found>();
  found->lists = std::move(lists);
  std::vector<UnstructuredKind::Entry>& entries = found->entries;
  for (const std::vector<Index>& list : found->lists) found->total += static_cast<Index>(list.size());
  entries.reserve(static_cast<std::size_t>(found->total));
  for (Index c = 0; c < static_cast<Index>(found->lists.size()); ++c) {
    Index local = 0;
    for (Index global : found->lists[static_cast<std::size_t>(c)]) entries.push_back({global, {c, local++}});
  }
  if (!std::is_sorted(entries.begin(), entries.end(), is_before_entry))
    std::sort(entries.begin(), entries.end(), is_before_entry);
  for (std::size_t i = 1; i < entries.size(); ++i)
    found->repeated += entries[i].global == entries[i - 1].global ? 1 : 0;
  if (!entries.empty()) {
    first_ = entries.front().global;
    last_ = entries.back().global;
    // If the indices fill at least a quarter of their span, a table replaces the search.
    const std::uint64_t span = static_cast<std::uint64_t>(last_) - static_cast<std::uint64_t>(first_);
    if (span / 4 < entries.size()) {
      found->table.assign(static_cast<std::size_t>(span) + 1, Location{-1, 0});
      for (auto entry = entries.rbegin(); entry != entries.rend();
           ++entry)  // the lowest coordinate is written last, so it is kept
        found->table[static_cast<std::size_t>(entry->global - first_)] = entry->place;
    }
  }
  keep(std::move(found));
}

UnstructuredKind::UnstructuredKind(std::shared_ptr<const Own> own, bool one_to_one) : one_to_one_(one_to_one) {
  auto found = std::make_shared<Found>();
  for (const Index count : own->counts) found->total += count;
  found->repeated = found->total - own->distinct;
  if (found->total > 0) {
    first_ = own->extremes[0];
    last_ = own->extremes[1];
  }
  found->own = std::move(own);
  keep(std::move(found));
}

void UnstructuredKind::keep(std::shared_ptr<Found> found) {
  lists_ = found->lists.data();
  own_ = found->own.get();
  table_ = found->table.empty() ? nullptr : found->table.data();
  table_size_ = found->table.size();
  grid_ = static_cast<Index>(own_ != nullptr ? own_->counts.size() : found->lists.size());
  found_ = std::move(found);
}

Location UnstructuredKind::locate_beside_table(Index global) const {
  if (table_ != nullptr) return {-1, 0};
  const auto [begin, end] = entries(global);
  return begin == end ? Location{-1, 0} : begin->place;
}

UnstructuredKind UnstructuredKind::knowing(std::vector<UnstructuredKind::Entry> more) const {
  auto found = std::make_shared<Found>();
  found->own = found_->own;
  found->total = found_->total;
  found->repeated = found_->repeated;
  if (found_->entries.empty()) {
    found->entries = std::move(more);
  } else {
    const auto same = [](const UnstructuredKind::Entry& a, const UnstructuredKind::Entry& b) {
      return a.global == b.global && a.place == b.place;
    };
    found->entries.reserve(found_->entries.size() + more.size());
    std::merge(found_->entries.begin(), found_->entries.end(), more.begin(), more.end(),
               std::back_inserter(found->entries), is_before_entry);
    found->entries.erase(std::unique(found->entries.begin(), found->entries.end(), same), found->entries.end());
  }
  UnstructuredKind wiser = *this;
  wiser.keep(std::move(found));
  return wiser;
}

const std::vector<Index>& UnstructuredKind::own_list(Index c) const {
  if (c != own_->coordinate)
    refuse_unknown("the list of coordinate " + std::to_string(c) + " on a process of coordinate " +
                   std::to_string(own_->coordinate));
  return own_->list;
}

const std::vector<UnstructuredKind::Entry>& UnstructuredKind::entries() const {
  if (own_ != nullptr) refuse_unknown("all of its indices");
  return found_->entries;
}

DifferentIndices different_indices(const UnstructuredKind& kind) {
  if (kind.own() != nullptr) return {kind.distinct(), kind.own()->indices};
  std::uint64_t sum = 0;
  const UnstructuredKind::Entry* previous = nullptr;
  for (const UnstructuredKind::Entry& entry : kind.entries()) {
    if (previous == nullptr || previous->global != entry.global) sum += mixed_bits(entry.global);
    previous = &entry;
  }
  return {kind.distinct(), static_cast<Index>(sum)};
}

namespace {

std::pair<const UnstructuredKind::Entry*, const UnstructuredKind::Entry*> entries_in(
    const std::vector<UnstructuredKind::Entry>& all, Index global) {
  return std::equal_range(
      all.data(), all.data() + all.size(), UnstructuredKind::Entry{global, {}},
      [](const UnstructuredKind::Entry& a, const UnstructuredKind::Entry& b) { return a.global < b.global; });
}

}  // namespace

std::pair<const UnstructuredKind::Entry*, const UnstructuredKind::Entry*> UnstructuredKind::known(Index global) const {
  const auto own = entries_in(own_->entries, global);
  return own.first != own.second ? own : entries_in(found_->entries, global);
}

bool UnstructuredKind::knows(Index global) const {
  if (own_ == nullptr || found_->total == 0 || global < first_ || global > last_) return true;
  const auto [begin, end] = known(global);
  return begin != end;
}

std::pair<const UnstructuredKind::Entry*, const UnstructuredKind::Entry*> UnstructuredKind::entries(
    Index global) const {
  if (own_ == nullptr) return entries_in(found_->entries, global);
  const auto [begin, end] = known(global);
  if (begin == end && !knows(global)) refuse_unknown("index " + std::to_string(global));
  return {begin != end && begin->place.coordinate < 0 ? end : begin, end};
}

}  // namespace tridap
