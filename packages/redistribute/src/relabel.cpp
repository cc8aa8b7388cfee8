#include "assignment.hpp"
#include "axis_overlap.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/placement.hpp>
#include <tridap/internal/plan_data.hpp>
#include <tridap/redistribute/relabel.hpp>
#include <tridap/report.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace tridap::redistribute {

namespace {

constexpr Index always_exact = 2048;                  // processes
constexpr Index most_entries = Index{1} << 23;        // 128 MB; more than those of 2048 processes
constexpr Index most_work = Index{60} * 1000 * 1000;  // some seconds

// The elements that each part of the source and each part of the target have in common: a product of one table for each
// axis. With Mapping::ravel there is one table, of pairs of parts.
class Overlap {
 public:
  struct Table {
    AxisOverlap of;
    Index source_extent = 1, source_weight = 1, target_extent = 1, target_weight = 1;

    Index source_coordinate(Index p) const { return p / source_weight % source_extent; }
    Index target_coordinate(Index q) const { return q / target_weight % target_extent; }
  };

  // Throws Error if Plan would.
  Overlap(const Distribution& source, const Distribution& target, const Mapping& mapping) {
    if (mapping.ravel) {
      ravel(source, target, mapping);
      return;
    }
    check_axes(source, target, mapping);
    Index weight = 1;
    for (Index i = target.ndim(); i-- > 0; weight *= target.axis(i).proc_grid_size()) {
      const Index from_axis = mapping.axes.empty() ? i : mapping.axes[at(i)];
      const Axis &from = source.axis(from_axis), &to = target.axis(i);
      const Part part = mapping.fill_padding ? Part::local : Part::owned;
      if (from.dist_type() == 'u' || to.dist_type() == 'u') check_indices(from, to, part, i, mapping);
      Index source_weight = 1;
      for (Index k = from_axis + 1; k < source.ndim(); ++k) source_weight *= source.axis(k).proc_grid_size();
      tables_.push_back(
          {axis_overlap(from, to, part), from.proc_grid_size(), source_weight, to.proc_grid_size(), weight});
    }
  }

  const std::vector<Table>& tables() const { return tables_; }

  Index elements(Index p, Index q) const {
    Index product = 1;  // it fits if total() does, unless another factor is 0
    for (const Table& table : tables_) {
      const Index elements = table.of.elements(table.source_coordinate(p), table.target_coordinate(q));
      product = checked_multiply(product, elements).value_or(0);
    }
    return product;
  }
  // Of all pairs of parts; nothing if it does not fit 64 bits.
  std::optional<Index> total() const {
    std::vector<Index> sums;
    for (const Table& table : tables_) {
      std::optional<Index> sum = 0;
      for (const AxisOverlap::Cell& cell : table.of.cells) sum = sum ? checked_add(*sum, cell.elements) : sum;
      if (!sum) return sum;
      sums.push_back(*sum);
    }
    return checked_product(sums);
  }

 private:
  static void check_indices(const Axis& from, const Axis& to, Part part, Index axis, const Mapping& mapping) {
    for (Index s = 0; s < from.proc_grid_size(); ++s)
      check_missing(moves_from(from, s, to, part), End::source, axis, mapping);
    for (Index t = 0; t < to.proc_grid_size(); ++t)
      check_missing(moves_to(from, to, t, part), End::target, axis, mapping);
  }

  void ravel(const Distribution& source, const Distribution& target, const Mapping& mapping) {
    Table table{{}, source.processes(), 1, target.processes(), 1};
    for (Index process = 0; process < std::max(source.processes(), target.processes()); ++process) {
      const Plan plan(source, target, 1, process, mapping);  // which checks both sides
      if (process >= target.processes()) continue;
      for (const Traffic& one : plan.receives()) table.of.cells.push_back({one.rank, one.bytes});
      table.of.begins.push_back(static_cast<Index>(table.of.cells.size()));
    }
    tables_.push_back(std::move(table));
  }

  std::vector<Table> tables_;
};

// What one axis offers: for each target coordinate those source coordinates that have most in common with it.
struct Offer {
  AxisOverlap table;
  std::vector<Index> largest, left_out;  // by target coordinate: elements of the first, and of the best not listed
};

// Of as many elements, those near the target's own place come first, so that not all want the same.
Offer offer(const Overlap::Table& axis, Index most) {
  Offer out;
  std::vector<AxisOverlap::Cell> list;
  for (Index t = 0; t < axis.target_extent; ++t) {
    list.assign(axis.of.cells.begin() + axis.of.begins[at(t)], axis.of.cells.begin() + axis.of.begins[at(t + 1)]);
    const auto near = static_cast<Index>(static_cast<double>(t) * static_cast<double>(axis.source_extent) /
                                         static_cast<double>(axis.target_extent));
    const auto away = [&](Index s) { return s >= near ? s - near : s - near + axis.source_extent; };
    const auto better = [&](const AxisOverlap::Cell& a, const AxisOverlap::Cell& b) {
      return a.elements != b.elements ? a.elements > b.elements : away(a.source) < away(b.source);
    };
    Index largest = 0, left_out = 0;
    for (const AxisOverlap::Cell& cell : list) largest = std::max(largest, cell.elements);
    if (static_cast<Index>(list.size()) > most) {
      std::nth_element(list.begin(), list.begin() + most, list.end(), better);
      left_out = list[at(most)].elements;
      list.resize(at(most));
    }
    out.table.cells.insert(out.table.cells.end(), list.begin(), list.end());
    out.table.begins.push_back(static_cast<Index>(out.table.cells.size()));
    out.largest.push_back(largest);
    out.left_out.push_back(left_out);
  }
  return out;
}

// As many of each axis as make no more entries than there is room for.
std::vector<Offer> offers(const Overlap& overlap, Index parts) {
  const Index room = std::max(most_entries, 8 * parts);
  Index most = 1;
  for (const Overlap::Table& axis : overlap.tables()) most = std::max(most, axis.source_extent);
  for (;; most = (most + 1) / 2) {
    std::vector<Offer> all;
    std::vector<Index> sizes;
    for (const Overlap::Table& axis : overlap.tables()) {
      Index size = 0;
      for (std::size_t t = 1; t < axis.of.begins.size(); ++t)
        size += std::min(most, axis.of.begins[t] - axis.of.begins[t - 1]);
      sizes.push_back(size);
    }
    const auto entries = checked_product(sizes);
    if (most > 1 && (!entries || *entries > room)) continue;
    for (const Overlap::Table& axis : overlap.tables()) all.push_back(offer(axis, most));
    return all;
  }
}

// The assignment problem: parts of the target get ranks. Elements count `scale` times, and the rank that was given for
// a part counts once: so that of the best assignments, the one of the fewest changes is found.
class Choice {
 public:
  Choice(const Overlap& overlap, const PlacedDistribution& source, const PlacedDistribution& target, Index processes,
         Index scale)
      : overlap_(overlap),
        source_(source),
        target_(target),
        processes_(processes),
        offers_(offers(overlap, target.distribution().processes())),
        scale_(scale) {}

  Worths worths() const {
    Worths out;
    out.columns = processes_;
    std::vector<std::pair<Index, Index>> row;  // rank and worth
    for (Index q = 0; q < target_.distribution().processes(); ++q) {
      list(q, row);
      for (const auto& [rank, worth] : row) {
        out.column.push_back(rank);
        out.worth.push_back(worth);
      }
      out.begins.push_back(static_cast<Index>(out.column.size()));
      out.left_out.push_back(left_out(q));
    }
    if (std::all_of(out.left_out.begin(), out.left_out.end(), [](Index none) { return none == 0; }))
      out.left_out.clear();
    return out;
  }

 private:
  void list(Index q, std::vector<std::pair<Index, Index>>& row) const {
    row.assign(1, {0, 1});  // a part of the source, and elements
    std::vector<std::pair<Index, Index>> wider;
    for (std::size_t i = 0; i < offers_.size(); ++i) {
      const Overlap::Table& axis = overlap_.tables()[i];
      const AxisOverlap& table = offers_[i].table;
      const auto t = at(axis.target_coordinate(q));
      wider.clear();
      for (const auto& [p, elements] : row)
        for (Index cell = table.begins[t]; cell < table.begins[t + 1]; ++cell)
          wider.emplace_back(p + table.cells[at(cell)].source * axis.source_weight,
                             checked_multiply(elements, table.cells[at(cell)].elements).value_or(0));
      row.swap(wider);
    }
    const Index given = target_.rank(q);
    bool listed = false;
    for (auto& [p, worth] : row) {
      p = source_.rank(p);
      worth = worth * scale_ + (p == given && scale_ > 1 ? 1 : 0);
      listed = listed || p == given;
    }
    const std::optional<Index> part = source_.process(given);
    const Index worth = (part ? overlap_.elements(*part, q) * scale_ : 0) + (scale_ > 1 ? 1 : 0);
    if (!listed && worth > 0) row.emplace_back(given, worth);
    std::sort(row.begin(), row.end());
  }

  // The most that a part of the source may have in common with `q` without being listed.
  Index left_out(Index q) const {
    Index most = 0;
    for (std::size_t i = 0; i < offers_.size(); ++i) {
      Index product = 1;
      for (std::size_t k = 0; k < offers_.size(); ++k) {
        const auto t = at(overlap_.tables()[k].target_coordinate(q));
        product = checked_multiply(product, (k == i ? offers_[k].left_out : offers_[k].largest)[t]).value_or(0);
      }
      most = std::max(most, product);
    }
    return most * scale_;
  }

  const Overlap& overlap_;
  const PlacedDistribution &source_, &target_;
  Index processes_;
  std::vector<Offer> offers_;
  Index scale_;
};

// Parts without a rank keep the one that was given for them if it is free, and otherwise get any that is.
void complete(std::vector<Index>& ranks, const PlacedDistribution& target, Index processes) {
  std::vector<bool> taken(at(processes), false);
  for (const Index rank : ranks)
    if (rank >= 0) taken[at(rank)] = true;
  for (std::size_t q = 0; q < ranks.size(); ++q) {
    const Index given = target.rank(static_cast<Index>(q));
    if (ranks[q] >= 0 || taken[at(given)]) continue;
    ranks[q] = given;
    taken[at(given)] = true;
  }
  std::size_t next = 0;
  for (Index& rank : ranks) {
    if (rank >= 0) continue;
    while (taken[next]) ++next;
    rank = static_cast<Index>(next++);
  }
}

}  // namespace

void check_relabel(const PlacedDistribution& source, const PlacedDistribution& target, Index element_bytes,
                   Index processes) {
  if (element_bytes < 1)
    refuse("element_bytes is " + std::to_string(element_bytes), "must be at least 1",
           "pass the length of an element in bytes");
  need_ranks(target, processes, "the target");
  need_ranks(source, processes, "the source");
}

Relabelling relabel(const PlacedDistribution& source, const PlacedDistribution& target, Index element_bytes,
                    Index processes, const Mapping& mapping) {
  check_relabel(source, target, element_bytes, processes);
  const Overlap overlap(source.distribution(), target.distribution(), mapping);
  const auto total = overlap.total();
  if (!total || !checked_multiply(*total, element_bytes))
    refuse("the target has too many bytes", "must be a number of bytes that fits 64 bits",
           "relabel a smaller array of the same distributions");
  const auto kept_with = [&](const std::vector<Index>& ranks) {
    Index elements = 0;
    for (std::size_t q = 0; q < ranks.size(); ++q)
      if (const auto part = source.process(ranks[q])) elements += overlap.elements(*part, static_cast<Index>(q));
    return elements;
  };
  std::vector<Index> given;
  for (Index q = 0; q < target.distribution().processes(); ++q) given.push_back(target.rank(q));
  const Index before = kept_with(given);

  const auto scaled = checked_multiply(checked_add(*total, 1).value_or(*total), processes + 1);
  const Index scale = scaled ? processes + 1 : 1;
  const Worths worths = Choice(overlap, source, target, processes, scale).worths();
  Assignment found = assign(worths, processes <= always_exact ? std::numeric_limits<Index>::max() : most_work);
  complete(found.column, target, processes);
  Index kept = kept_with(found.column);
  if (kept <= before) {
    found.column = std::move(given);
    kept = before;
  }
  const Index most = std::min(found.bound / scale, *total);
  return {std::move(found.column), kept * element_bytes, before * element_bytes, most * element_bytes, kept == most};
}

}  // namespace tridap::redistribute
