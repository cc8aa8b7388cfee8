#include "cyclic.hpp"
#include <tridap/kinds.hpp>

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

UnstructuredKind::UnstructuredKind(std::vector<std::vector<Index>> lists, bool one_to_one) : one_to_one_(one_to_one) {
  auto found = std::make_shared<Found>();
  found->lists = std::move(lists);
  std::vector<Entry>& entries = found->entries;
  for (Index c = 0; c < static_cast<Index>(found->lists.size()); ++c) {
    Index local = 0;
    for (Index global : found->lists[static_cast<std::size_t>(c)]) entries.push_back({global, {c, local++}});
  }
  const auto less = [](const Entry& a, const Entry& b) {
    return a.global != b.global ? a.global < b.global : a.place.coordinate < b.place.coordinate;
  };
  if (!std::is_sorted(entries.begin(), entries.end(), less)) std::sort(entries.begin(), entries.end(), less);
  found->total = static_cast<Index>(entries.size());
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
  found_ = std::move(found);
  lists_ = found_->lists.data();
  if (!found_->table.empty()) table_ = found_->table.data();
}

std::pair<const UnstructuredKind::Entry*, const UnstructuredKind::Entry*> UnstructuredKind::entries(
    Index global) const {
  const auto [begin, end] =
      std::equal_range(found_->entries.data(), found_->entries.data() + found_->entries.size(), Entry{global, {}},
                       [](const Entry& a, const Entry& b) { return a.global < b.global; });
  return {begin, end};
}

}  // namespace tridap
