#include "assignment.hpp"
#include "overlap.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/placement.hpp>
#include <tridap/internal/plan_data.hpp>
#include <tridap/internal/relabel_limits.hpp>
#include <tridap/redistribute/relabel.hpp>
#include <tridap/report.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tridap::redistribute {

namespace {

Index sum(const std::vector<Index>& numbers) { return std::accumulate(numbers.begin(), numbers.end(), Index{0}); }

// How many cells of each axis make no more entries than there is room for.
Index cells_for(const Overlap& overlap, Index entries, Index parts) {
  const Index room = std::max(entries, 8 * parts);
  Index most = 1;
  for (const OverlapTable& table : overlap.tables()) most = std::max(most, table.source_extent);
  for (;; most = (most + 1) / 2) {
    std::vector<Index> sizes;
    for (const OverlapTable& table : overlap.tables()) {
      Index size = 0;
      for (std::size_t t = 1; t < table.begins.size(); ++t)
        size += std::min(most, table.begins[t] - table.begins[t - 1]);
      sizes.push_back(size);
    }
    const auto needed = checked_product(sizes);
    if (most == 1 || (needed && *needed <= room)) return most;
  }
}

// The assignment problem: parts of the target get ranks. Elements count `scale` times, and the rank that was given for
// a part counts once: so that of the best assignments, the one of the fewest changes is found.
class Choice {
 public:
  Choice(const Overlap& overlap, const PlacedDistribution& source, const PlacedDistribution& target, Index processes,
         const std::vector<Index>& given, const RelabelLimits& limits, Index scale)
      : overlap_(overlap),
        source_(source),
        target_(target),
        processes_(processes),
        given_(given),
        given_keep_(kept(given)),
        limits_(limits),
        scale_(scale) {
    if (!exact()) most_ = cells_for(overlap, limits.entries, parts());
  }

  bool exact() const { return processes_ <= limits_.exact_processes; }
  /// The elements that stay on each part's process with these ranks.
  std::vector<Index> kept(const std::vector<Index>& ranks) const {
    std::vector<std::pair<Index, Index>> pairs;
    for (std::size_t q = 0; q < ranks.size(); ++q)
      pairs.emplace_back(source_.process(ranks[q]).value_or(-1), static_cast<Index>(q));
    return overlap_.elements(pairs);
  }
  const std::vector<Index>& kept_by_given() const { return given_keep_; }

  Worths worths() const {
    Worths out;
    out.columns = processes_;
    std::vector<Option> options;
    for (Index q = 0; q < parts(); ++q) {
      const Index most = keeps_its_rank(q) ? 0 : most_;
      if (most > 0) list(q, most, options);
      std::sort(options.begin(), options.end());
      for (const auto& [rank, worth] : options) {
        out.column.push_back(rank);
        out.worth.push_back(worth);
      }
      options.clear();
      out.begins.push_back(static_cast<Index>(out.column.size()));
      out.left_out.push_back(overlap_.left_out(q, most) * scale_);
    }
    if (std::all_of(out.left_out.begin(), out.left_out.end(), [](Index none) { return none == 0; }))
      out.left_out.clear();
    return out;
  }

  // Parts without a rank get the one that was given for them, or, if that is better, one that the search left out. If
  // it is not free, or after `most_looks`, they get any that is.
  void complete(std::vector<Index>& ranks, Index most_looks) const {
    std::vector<bool> taken(at(processes_), false);
    for (const Index rank : ranks)
      if (rank >= 0) taken[at(rank)] = true;
    const auto give = [&](Index q, Index rank) {
      if (rank < 0 || taken[at(rank)]) return;
      ranks[at(q)] = rank;
      taken[at(rank)] = true;
    };
    for (Index q = 0; q < parts(); ++q)
      if (ranks[at(q)] < 0 && keeps_its_rank(q)) give(q, given_[at(q)]);
    std::vector<Option> options;
    for (Index q = 0; q < parts() && most_looks > 0; ++q) {
      if (ranks[at(q)] >= 0) continue;
      list(q, all, options);
      most_looks -= static_cast<Index>(options.size());
      Option best = {-1, 0};
      for (const Option& option : options)
        if (!taken[at(option.first)] && option.second > best.second) best = option;
      give(q, best.first);
    }
    for (Index q = 0; q < parts(); ++q)
      if (ranks[at(q)] < 0) give(q, given_[at(q)]);
    Index next = 0;
    for (Index q = 0; q < parts(); ++q) {
      if (ranks[at(q)] >= 0) continue;
      while (taken[at(next)]) ++next;
      give(q, next);
    }
  }

 private:
  using Option = std::pair<Index, Index>;  // a rank, and what it is worth
  static constexpr Index all = std::numeric_limits<Index>::max();

  Index parts() const { return target_.distribution().processes(); }
  // No rank has more for this part than the others have, up to one block.
  bool keeps_its_rank(Index q) const {
    return !exact() && source_.distribution().processes() == processes_ && overlap_.level(q);
  }

  // The ranks of the first `most` cells of each axis, and the one that was given.
  void list(Index q, Index most, std::vector<Option>& options) const {
    options.assign(1, {0, 1});  // a part of the source, and elements
    std::vector<Option> wider;
    for (const OverlapTable& axis : overlap_.tables()) {
      const auto t = at(axis.target_coordinate(q));
      const Index end = std::min(axis.begins[t + 1] - axis.begins[t], most) + axis.begins[t];
      wider.clear();
      for (const auto& [p, elements] : options)
        for (Index cell = axis.begins[t]; cell < end; ++cell)
          wider.emplace_back(p + axis.cells[at(cell)].source * axis.source_weight,
                             checked_multiply(elements, axis.cells[at(cell)].elements).value_or(0));
      options.swap(wider);
    }
    const Index given = given_[at(q)];
    bool listed = false;
    for (auto& [p, worth] : options) {
      p = source_.rank(p);
      worth = worth * scale_ + (p == given && scale_ > 1 ? 1 : 0);
      listed = listed || p == given;
    }
    const Index worth = given_keep_[at(q)] * scale_ + (scale_ > 1 ? 1 : 0);
    if (!listed && (exact() ? worth : given_keep_[at(q)]) > 0) options.emplace_back(given, worth);
  }

  const Overlap& overlap_;
  const PlacedDistribution &source_, &target_;
  Index processes_;
  const std::vector<Index>& given_;  // ranks, by part
  std::vector<Index> given_keep_;    // elements that they keep
  RelabelLimits limits_;
  Index scale_;
  Index most_ = all;  // cells of each axis
};

}  // namespace

void check_relabel(const PlacedDistribution& source, const PlacedDistribution& target, Index element_bytes,
                   Index processes) {
  if (element_bytes < 1)
    refuse("element_bytes is " + std::to_string(element_bytes), "must be at least 1",
           "pass the length of an element in bytes");
  need_ranks(target, processes, "the target");
  need_ranks(source, processes, "the source");
}

Relabelling relabel_within(const RelabelLimits& limits, const PlacedDistribution& source,
                           const PlacedDistribution& target, Index element_bytes, Index processes,
                           const Mapping& mapping, RelabelCounts* counts) {
  check_relabel(source, target, element_bytes, processes);
  const Overlap overlap(source.distribution(), target.distribution(), mapping, processes, limits);
  const auto total = overlap.total();
  if (!total || !checked_multiply(*total, element_bytes))
    refuse("the target has too many bytes", "must be a number of bytes that fits 64 bits",
           "relabel a smaller array of the same distributions");
  const auto scaled = checked_multiply(checked_add(*total, 1).value_or(*total), processes + 1);
  const Index scale = scaled ? processes + 1 : 1;
  std::vector<Index> given;
  for (Index q = 0; q < target.distribution().processes(); ++q) given.push_back(target.rank(q));
  const Choice choice(overlap, source, target, processes, given, limits, scale);
  const Index most_looks = choice.exact() ? std::numeric_limits<Index>::max() : limits.pairs / limits.search_fraction;
  Worths worths = choice.worths();
  Assignment found = assign(worths, most_looks);
  if (counts != nullptr) *counts = {overlap.looked(), static_cast<Index>(worths.column.size())};
  worths = {};
  choice.complete(found.column, choice.exact() ? 0 : most_looks);
  const Index before = sum(choice.kept_by_given());
  Index kept = found.column == given ? before : sum(choice.kept(found.column));
  if (kept <= before) {
    found.column = std::move(given);
    kept = before;
  }
  const Index most = std::min(found.bound / scale, *total);
  return {std::move(found.column), kept * element_bytes, before * element_bytes, most * element_bytes, kept == most};
}

Relabelling relabel(const PlacedDistribution& source, const PlacedDistribution& target, Index element_bytes,
                    Index processes, const Mapping& mapping, Index most_pairs) {
  RelabelLimits limits;
  limits.pairs = most_pairs;
  return relabel_within(limits, source, target, element_bytes, processes, mapping);
}

}  // namespace tridap::redistribute
