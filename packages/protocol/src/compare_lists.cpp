#include "joint_check.hpp"
#include <tridap/internal/digest.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <new>
#include <string>
#include <tuple>

namespace tridap {

namespace {

// One unstructured axis on which all processes agree, except for the indices.
struct ListedAxis {
  Index axis = 0, grid = 1, size = 0;
  Index stride = 1;         // from one coordinate to the next, in ranks
  Index total = 0;          // the sum of the lengths of its lists
  bool one_to_one = false;  // as the processes state
};

Finding listed_twice(const ListedAxis& a, Index global, const std::array<Index, 2>& coordinates) {
  return {Rule::unstructured_one_to_one,
          coordinates[1] * a.stride,
          a.axis,
          "indices",
          "listing " + std::to_string(global) + " at coordinates " + std::to_string(coordinates[0]) + " and " +
              std::to_string(coordinates[1]),
          "but 'one_to_one' is true",
          ""};
}

struct IndexOfProcess {
  Index to, axis, global, coordinate;
};

// The indices that the members hold on some unstructured axes.
class IndexLists {
 public:
  // Reads them. Throws std::bad_alloc if memory runs out.
  IndexLists(JointCheck& check, const std::vector<ListedAxis>& axes) : check_(check), axes_(axes) {
    for (std::size_t k = 0; k < check.members.size(); ++k) {
      lists_.emplace_back();
      for (const ListedAxis& a : axes) lists_.back().push_back(check.indices(k, static_cast<std::size_t>(a.axis)));
    }
  }

  // Compares the lists at each coordinate with that of its first process. Reports differences. Returns for each axis
  // whether all lists are the same, or nullopt if some process ran out of memory. **Collective.**
  std::optional<std::vector<bool>> compare() {
    if (!spread_first_lists()) return std::nullopt;
    std::vector<Index> differ;
    const auto compare_here = [&](std::size_t k) {
      differ.resize(axes_.size(), 0);
      for (std::size_t i = 0; i < axes_.size(); ++i) {
        const std::vector<Index>&own = lists_[k][i], &first = first_lists_[k][i];
        if (first == own) continue;
        differ[i] = 1;
        const auto [ours, theirs] = std::mismatch(own.begin(), own.end(), first.begin());
        check_.add(k, Rule::axis_same, axes_[i].axis, "indices",
                   std::to_string(*ours) + " at local index " + std::to_string(ours - own.begin()),
                   "at coordinate " + std::to_string(coordinate(k, axes_[i])),
                   {{std::to_string(*theirs), rank_at(k, axes_[i], 0)}});
      }
    };
    if (!check_.everywhere(compare_here)) return std::nullopt;
    check_.collectives.max(differ);
    std::vector<bool> same;
    for (const Index flag : differ) same.push_back(flag == 0);
    return same;
  }

  // Counts the different indices of each axis, by sending every index to the process that its hash gives. If an axis
  // claims `one_to_one`, an index on two coordinates is a finding. Returns nullopt if some process ran out of memory.
  // **Collective.**
  std::optional<std::vector<Index>> count_distinct() {
    std::vector<Message> messages;
    if (!check_.everywhere([&](std::size_t k) { pack_by_hash(k, messages); })) return std::nullopt;
    const std::vector<Message> arrived = check_.collectives.exchange(std::move(messages));
    std::vector<Index> distinct;
    if (!check_.alone([&] { distinct = count(arrived); })) return std::nullopt;
    check_.collectives.sum(distinct);
    return distinct;
  }

 private:
  Index coordinate(std::size_t k, const ListedAxis& a) const { return check_.ranks[k] / a.stride % a.grid; }
  Index position(std::size_t k, const ListedAxis& a) const {  // among the processes at its coordinate
    const Index rank = check_.ranks[k];
    return rank / (a.stride * a.grid) * a.stride + rank % a.stride;
  }
  Index rank_at(std::size_t k, const ListedAxis& a, Index position) const {
    return (position / a.stride * a.grid + coordinate(k, a)) * a.stride + position % a.stride;
  }
  std::size_t member(Index rank) const {
    const std::vector<Index>& ranks = check_.ranks;
    return static_cast<std::size_t>(std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin());
  }

  // Sends the list of the first process at each coordinate to the others there, along a binomial tree.
  bool spread_first_lists() {
    const Index processes = check_.collectives.processes();
    Index largest_group = 1;
    for (const ListedAxis& a : axes_) largest_group = std::max(largest_group, processes / a.grid);
    const bool ready = check_.everywhere([&](std::size_t k) {
      first_lists_.resize(lists_.size());
      first_lists_[k].resize(axes_.size());
      for (std::size_t i = 0; i < axes_.size(); ++i)
        if (position(k, axes_[i]) == 0) first_lists_[k][i] = lists_[k][i];
    });
    for (Index step = 1; ready && step < largest_group; step *= 2) {
      std::vector<Message> messages;
      const auto pack = [&](std::size_t k) {
        for (std::size_t i = 0; i < axes_.size(); ++i) {
          const Index at = position(k, axes_[i]), next = at + step;
          if (at >= step || next >= processes / axes_[i].grid) continue;
          Message message{check_.ranks[k], rank_at(k, axes_[i], next), {static_cast<Index>(i)}};
          message.content.insert(message.content.end(), first_lists_[k][i].begin(), first_lists_[k][i].end());
          messages.push_back(std::move(message));
        }
      };
      if (!check_.everywhere(pack)) return false;
      const std::vector<Message> arrived = check_.collectives.exchange(std::move(messages));
      const auto unpack = [&] {
        for (const Message& message : arrived)
          first_lists_[member(message.to)][static_cast<std::size_t>(message.content[0])].assign(
              message.content.begin() + 1, message.content.end());
      };
      if (!check_.alone(unpack)) return false;
    }
    return ready;
  }

  // Adds messages with a member's indices on the axes whose coordinate it represents, sorted by the processes that
  // their hashes give.
  void pack_by_hash(std::size_t k, std::vector<Message>& messages) const {
    const auto processes = static_cast<std::uint64_t>(check_.collectives.processes());
    std::vector<IndexOfProcess> entries;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (position(k, axes_[i]) != 0) continue;
      for (const Index global : lists_[k][i])
        entries.push_back({static_cast<Index>(mixed_bits(global) % processes), static_cast<Index>(i), global,
                           coordinate(k, axes_[i])});
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const IndexOfProcess& a, const IndexOfProcess& b) { return a.to < b.to; });
    const std::size_t before = messages.size();
    for (const IndexOfProcess& entry : entries) {
      if (messages.size() == before || messages.back().to != entry.to)
        messages.push_back({check_.ranks[k], entry.to, {}});
      messages.back().content.insert(messages.back().content.end(), {entry.axis, entry.global, entry.coordinate});
    }
  }

  // Counts the indices that have arrived at this process.
  std::vector<Index> count(const std::vector<Message>& arrived) const {
    std::vector<Index> distinct(axes_.size(), 0);
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
        check_.reports[member(mine[i].to)].add(
            listed_twice(a, mine[i].global, {mine[i - 1].coordinate, mine[i].coordinate}));
      }
    }
    return distinct;
  }

  JointCheck& check_;
  const std::vector<ListedAxis>& axes_;
  std::vector<std::vector<std::vector<Index>>> lists_;        // by member and axis
  std::vector<std::vector<std::vector<Index>>> first_lists_;  // those of the first process, when they have arrived
};

std::vector<ListedAxis> listed_axes(const JointCheck& check, const AxisRecords& records) {
  std::vector<ListedAxis> axes;
  for (std::size_t axis = 0; axis < check.agreed.size(); ++axis) {
    if (!check.is_listed(axis)) continue;
    const Dimension& d = check.dim(0, axis);
    axes.push_back({static_cast<Index>(axis), d.proc_grid_size, d.size, check.rank_stride[axis], 0,
                    std::get<Unstructured>(d.dist).one_to_one});
    for (const AxisRecord& record : records[axis]) axes.back().total += record[stop];
  }
  return axes;
}

// Reads the lists of the axes, on every process or on none, then makes a collective step. Returns what the step
// returns, or nullopt if some process ran out of memory.
template <class Result>
std::optional<Result> with_lists(JointCheck& check, const std::vector<ListedAxis>& axes,
                                 std::optional<Result> (IndexLists::*step)()) {
  std::optional<IndexLists> lists;
  std::optional<Result> result;
  if (!check.alone([&] { lists.emplace(check, axes); }) || !check.alone([&] { result = ((*lists).*step)(); }))
    return std::nullopt;
  return result;
}

void compare_size(JointCheck& check, const ListedAxis& a, std::optional<Index> distinct) {
  if (a.one_to_one && distinct != a.total) check.right = false;  // count_distinct() has reported it
  if (a.total == a.size) return;
  const Rule rule = distinct == a.size ? Rule::unstructured_distinct : Rule::unstructured_size;
  if (rule == Rule::unstructured_size) check.right = false;
  std::string must = "but the lists of the coordinates have " + std::to_string(a.total) + " indices";
  if (distinct) must += ", " + std::to_string(*distinct) + " of them distinct";
  check.add_for_all({rule, {}, a.axis, "size", std::to_string(a.size), std::move(must), ""});
}

// Leaves the lists of an axis on their processes. Returns the number of different indices.
Index spread(JointCheck& check, const ListedAxis& a, const std::vector<AxisRecord>& records) {
  const auto axis = static_cast<std::size_t>(a.axis);
  ListHere here{
      [&] { return check.indices(0, axis); }, check.dim(0, axis).proc_grid_rank, check.represents(0, axis), {}, {}};
  ListSummary all;
  for (const AxisRecord& record : records) {
    here.counts.push_back(record[stop]);
    all.smallest = std::min(all.smallest, record[left]);
    all.largest = std::max(all.largest, record[right]);
  }
  here.extremes = {all.smallest, all.largest};
  check.spread[axis] = check.collectives.spread(std::move(here));
  for (const SpreadLists::Twice& twice : check.spread[axis]->twice) {
    if (!a.one_to_one) break;
    check.reports.front().add(listed_twice(a, twice.global, twice.coordinates));
  }
  return check.spread[axis]->own->distinct;
}

}  // namespace

void compare_lists(JointCheck& check, const AxisRecords& records, bool want_distribution) {
  std::vector<ListedAxis> axes = listed_axes(check, records), counted;
  const auto differ = [&](const ListedAxis& a) { return check.lists_differ[static_cast<std::size_t>(a.axis)]; };
  if (std::any_of(axes.begin(), axes.end(), differ)) {
    const std::optional<std::vector<bool>> same = with_lists(check, axes, &IndexLists::compare);
    if (!same) return void(check.right = false);
    for (std::size_t i = axes.size(); i-- > 0;) {
      if ((*same)[i]) continue;
      check.disagree(static_cast<std::size_t>(axes[i].axis));
      axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  const auto is_long = [&](const ListedAxis& a) {
    return want_distribution && check.right && check.collectives.can_spread() && a.grid > 1 &&
           a.total > check.most_listed;
  };
  std::copy_if(axes.begin(), axes.end(), std::back_inserter(counted),
               [&](const ListedAxis& a) { return !is_long(a) && (a.one_to_one || a.total > a.size); });
  std::optional<std::vector<Index>> distinct;
  if (!counted.empty() && !(distinct = with_lists(check, counted, &IndexLists::count_distinct)))
    return void(check.right = false);
  for (const ListedAxis& a : axes) {
    const auto at = std::find_if(counted.begin(), counted.end(), [&](const ListedAxis& c) { return c.axis == a.axis; });
    std::optional<Index> different;
    if (at != counted.end()) different = (*distinct)[static_cast<std::size_t>(at - counted.begin())];
    if (is_long(a)) different = spread(check, a, records[static_cast<std::size_t>(a.axis)]);
    compare_size(check, a, different);
  }
}

}  // namespace tridap
