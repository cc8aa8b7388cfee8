#include "index_lists.hpp"

#include "checking.hpp"
#include <tridap/internal/collective_check.hpp>
#include <tridap/internal/digest.hpp>

#include <algorithm>
#include <new>
#include <string>
#include <tuple>

namespace tridap {

namespace {

struct IndexOfProcess {
  Index to, axis, global, coordinate;
};

}  // namespace

IndexLists::IndexLists(const std::vector<LocalArray>& members, const std::vector<ListedAxis>& axes)
    : members_(members), axes_(axes) {
  for (const LocalArray& member : members) {
    lists_.emplace_back();
    for (const ListedAxis& a : axes) {
      const Dimension& d = member.array->dim_data[static_cast<std::size_t>(a.axis)];
      std::optional<std::vector<Index>> list = read_indices(std::get<Unstructured>(d.dist).indices);
      if (!list) throw std::bad_alloc();  // they could be read before
      lists_.back().push_back(std::move(*list));
    }
  }
}

Index IndexLists::position(std::size_t k, const ListedAxis& a) const {
  const Index rank = members_[k].rank;
  return rank / (a.stride * a.grid) * a.stride + rank % a.stride;
}

Index IndexLists::rank_at(std::size_t k, const ListedAxis& a, Index position) const {
  return (position / a.stride * a.grid + coordinate(k, a)) * a.stride + position % a.stride;
}

std::size_t IndexLists::member(Index rank) const {
  const auto found = std::lower_bound(members_.begin(), members_.end(), rank,
                                      [](const LocalArray& member, Index wanted) { return member.rank < wanted; });
  return static_cast<std::size_t>(found - members_.begin());
}

std::optional<std::vector<bool>> IndexLists::compare(Collectives& collectives, std::vector<Report>& reports) const {
  std::vector<std::vector<std::vector<Index>>>
      first_lists;  // by member: the list of the first process, when it has arrived
  Index largest_group = 1;
  for (const ListedAxis& a : axes_) largest_group = std::max(largest_group, collectives.processes() / a.grid);
  const bool ready = everywhere(members_, collectives, reports, [&](std::size_t k) {
    first_lists.resize(lists_.size());
    first_lists[k].resize(axes_.size());
    for (std::size_t i = 0; i < axes_.size(); ++i)
      if (position(k, axes_[i]) == 0) first_lists[k][i] = lists_[k][i];
  });
  for (Index step = 1; ready && step < largest_group; step *= 2) {
    std::vector<Message> messages;
    const auto pack = [&](std::size_t k) {
      for (std::size_t i = 0; i < axes_.size(); ++i) {
        const Index at = position(k, axes_[i]), next = at + step;
        if (at >= step || next >= collectives.processes() / axes_[i].grid) continue;
        Message message{members_[k].rank, rank_at(k, axes_[i], next), {static_cast<Index>(i)}};
        message.content.insert(message.content.end(), first_lists[k][i].begin(), first_lists[k][i].end());
        messages.push_back(std::move(message));
      }
    };
    if (!everywhere(members_, collectives, reports, pack)) return std::nullopt;
    const std::vector<Message> arrived = collectives.exchange(std::move(messages));
    const auto unpack = [&](std::size_t first) {
      if (first != 0) return;  // all at once
      for (const Message& message : arrived)
        first_lists[member(message.to)][static_cast<std::size_t>(message.content[0])].assign(
            message.content.begin() + 1, message.content.end());
    };
    if (!everywhere(members_, collectives, reports, unpack)) return std::nullopt;
  }
  if (!ready) return std::nullopt;
  std::vector<Index> differ;
  const auto compare_here = [&](std::size_t k) {
    differ.resize(axes_.size(), 0);
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (first_lists[k][i] == lists_[k][i]) continue;
      differ[i] = 1;
      const auto [ours, first] = std::mismatch(lists_[k][i].begin(), lists_[k][i].end(), first_lists[k][i].begin());
      reports[k].add({Rule::axis_same,
                      members_[k].rank,
                      axes_[i].axis,
                      "indices",
                      std::to_string(*ours) + " at local index " + std::to_string(ours - lists_[k][i].begin()),
                      "at coordinate " + std::to_string(coordinate(k, axes_[i])),
                      "",
                      {{std::to_string(*first), rank_at(k, axes_[i], 0)}}});
    }
  };
  if (!everywhere(members_, collectives, reports, compare_here)) return std::nullopt;
  collectives.max(differ);
  std::vector<bool> same;
  for (const Index flag : differ) same.push_back(flag == 0);
  return same;
}

// A member's indices on the axes whose coordinate it represents, sorted by the processes that their hashes give.
std::vector<Message> IndexLists::indices_by_hash(std::size_t k, Index processes) const {
  std::vector<IndexOfProcess> entries;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (position(k, axes_[i]) != 0) continue;
    for (const Index global : lists_[k][i])
      entries.push_back({static_cast<Index>(mixed_bits(global) % static_cast<std::uint64_t>(processes)),
                         static_cast<Index>(i), global, coordinate(k, axes_[i])});
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const IndexOfProcess& a, const IndexOfProcess& b) { return a.to < b.to; });
  std::vector<Message> messages;
  for (const IndexOfProcess& entry : entries) {
    if (messages.empty() || messages.back().to != entry.to) messages.push_back({members_[k].rank, entry.to, {}});
    messages.back().content.insert(messages.back().content.end(), {entry.axis, entry.global, entry.coordinate});
  }
  return messages;
}

std::optional<std::vector<Index>> IndexLists::count_distinct(Collectives& collectives,
                                                             std::vector<Report>& reports) const {
  std::vector<Message> messages;
  const auto pack = [&](std::size_t k) {
    for (Message& message : indices_by_hash(k, collectives.processes())) messages.push_back(std::move(message));
  };
  if (!everywhere(members_, collectives, reports, pack)) return std::nullopt;
  const std::vector<Message> arrived = collectives.exchange(std::move(messages));

  std::vector<Index> distinct;
  const auto count = [&](std::size_t first) {
    if (first != 0) return;  // all at once
    distinct.resize(axes_.size(), 0);
    std::vector<IndexOfProcess> mine;
    for (const Message& message : arrived)
      for (std::size_t at = 0; at < message.content.size(); at += 3)
        mine.push_back({message.to, message.content[at], message.content[at + 1], message.content[at + 2]});
    std::sort(mine.begin(), mine.end(), [](const IndexOfProcess& a, const IndexOfProcess& b) {
      return std::tie(a.axis, a.global, a.coordinate) < std::tie(b.axis, b.global, b.coordinate);
    });
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const ListedAxis& a = axes_[static_cast<std::size_t>(mine[i].axis)];
      if (i == 0 || mine[i].axis != mine[i - 1].axis || mine[i].global != mine[i - 1].global) {
        ++distinct[static_cast<std::size_t>(mine[i].axis)];
      } else if (a.one_to_one) {
        const Index c = mine[i].coordinate;
        reports[member(mine[i].to)].add({Rule::unstructured_one_to_one, c * a.stride, a.axis, "indices",
                                         "listing " + std::to_string(mine[i].global) + " at coordinates " +
                                             std::to_string(mine[i - 1].coordinate) + " and " + std::to_string(c),
                                         "but 'one_to_one' is true", ""});
      }
    }
  };
  if (!everywhere(members_, collectives, reports, count)) return std::nullopt;
  collectives.sum(distinct);
  return distinct;
}

}  // namespace tridap
