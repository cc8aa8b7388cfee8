#include "overlap.hpp"

#include "at.hpp"
#include <tridap/report.hpp>
#include <tridap/runs.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace tridap::redistribute {

namespace {

constexpr Index most_pairs = Index{1} << 27;  // of one table: 2 GB

// The table that grows list by list: within one, counts are added in any order.
class TableMaker {
 public:
  explicit TableMaker(Index coordinates) : counts_(at(coordinates), 0) {}

  void add(Index coordinate, Index elements) {
    if (elements == 0) return;
    if (counts_[at(coordinate)] == 0) touched_.push_back(coordinate);
    counts_[at(coordinate)] += elements;
  }
  void end_list() {
    std::sort(touched_.begin(), touched_.end());
    for (const Index coordinate : touched_)
      table_.cells.push_back({coordinate, std::exchange(counts_[at(coordinate)], 0)});
    touched_.clear();
    table_.begins.push_back(static_cast<Index>(table_.cells.size()));
    if (table_.begins.back() > most_pairs)
      refuse("more than " + std::to_string(most_pairs) + " pairs of coordinates overlap on one axis",
             "but the search for a placement can store only so many", "");
  }
  OverlapTable take() { return std::move(table_); }

 private:
  OverlapTable table_;
  std::vector<Index> counts_, touched_;
};

// Lists by the other side.
OverlapTable transposed(const OverlapTable& table, Index coordinates) {
  OverlapTable out;
  out.begins.assign(at(coordinates) + 1, 0);
  for (const OverlapTable::Cell& cell : table.cells) ++out.begins[at(cell.source + 1)];
  std::partial_sum(out.begins.begin(), out.begins.end(), out.begins.begin());
  out.cells.resize(table.cells.size());
  std::vector<Index> next(out.begins.begin(), out.begins.end() - 1);
  for (std::size_t list = 0; list + 1 < table.begins.size(); ++list)
    for (Index i = table.begins[list]; i < table.begins[list + 1]; ++i) {
      const OverlapTable::Cell cell = table.cells[at(i)];
      out.cells[at(next[at(cell.source)]++)] = {static_cast<Index>(list), cell.elements};
    }
  return out;
}

// Calls add(coordinate, elements) for the owners of the indices `first <= global < end`, which are all on the axis
// unless it is unstructured. Takes time for the coordinates that own any, whatever they own.
template <class Add>
void deal(const BlockKind& kind, Index first, Index end, Add&& add) {
  while (first < end) {
    const Index c = kind.locate(first)->coordinate, stop = std::min(end, kind.begin(c + 1));
    add(c, stop - first);
    first = stop;
  }
}

template <class Add>
void deal(const CyclicKind& kind, Index first, Index end, Add&& add) {
  if (first >= end) return;
  const Index length = kind.block_size();
  if (const auto round = checked_multiply(length, kind.grid()); round && end - first >= *round) {
    const Index rounds = (end - first) / *round;
    for (Index c = 0; c < kind.grid(); ++c) add(c, rounds * length);
    first += rounds * *round;
  }
  while (first < end) {
    const Index left = length - first % length, stop = end - first < left ? end : first + left;
    add(kind.locate(first)->coordinate, stop - first);
    first = stop;
  }
}

template <class Add>
void deal(const UnstructuredKind& kind, Index first, Index end, Add&& add) {
  kind.for_each_location(first, end, [&](Index, const Location& place) { add(place.coordinate, Index{1}); });
}

template <class Add>
void deal(const Axis& axis, Index first, Index end, Add&& add) {
  first = axis.dist_type() == 'u' ? first : std::max<Index>(first, 0);
  end = axis.dist_type() == 'u' ? end : std::min(end, axis.size());
  axis.with_kind([&](const auto& kind) { deal(kind, first, end, add); });
}

// Two dealt axes: the pattern repeats after as many elements as both rounds divide.
OverlapTable overlap_dealt(const CyclicKind& source, const CyclicKind& target) {
  const Index size = std::min(source.size(), target.size()), length = target.block_size();
  const auto one = checked_multiply(source.block_size(), source.grid()),
             other = checked_multiply(length, target.grid());
  Index period = size, times = 1, rest = 0;
  if (one && other) {
    const auto common = checked_multiply(*one / std::gcd(*one, *other), *other);
    if (common && *common < size) {
      period = *common;
      times = size / period;
      rest = size % period;
    }
  }
  TableMaker maker(source.grid());
  for (Index t = 0; t < target.grid(); ++t) {
    for (Index first = target.start(t); first < period;) {
      const Index end = period - first < length ? period : first + length;
      deal(source, first, end, [&](Index s, Index elements) { maker.add(s, elements * times); });
      deal(source, first, std::min(end, rest), [&](Index s, Index elements) { maker.add(s, elements); });
      if (!other || period - first <= *other) break;
      first += *other;
    }
    maker.end_list();
  }
  return maker.take();
}

// One list for each coordinate of `axis`, which is not dealt, of those who own what it holds; with `owned_alone`, what
// it owns as the lowest one.
OverlapTable overlap_of_lists(const Axis& axis, Part part, bool owned_alone, const Axis& owners) {
  TableMaker maker(owners.proc_grid_size());
  const auto add = [&](Index owner, Index elements) { maker.add(owner, elements); };
  const bool shares = owned_alone && axis.shares_indices();
  for (Index c = 0; c < axis.proc_grid_size(); ++c) {
    for (const Run& run : axis.runs(c, part)) {
      const Index last = run.global + (run.length - 1);  // the index after it may be no number: it is dealt alone
      if (!shares) deal(owners, run.global, last, add);
      for (Index global = shares ? run.global : last;; ++global) {
        const auto owner = owners.owner(global);
        if (owner && (!shares || axis.owner(global) == c)) add(*owner, Index{1});
        if (global == last) break;
      }
    }
    maker.end_list();
  }
  return maker.take();
}

// How many different indices an axis has.
Index distinct(const Axis& axis) {
  const auto* kind = std::get_if<UnstructuredKind>(&axis.kind());
  return kind != nullptr ? kind->distinct() : axis.size();
}

// How many of the different indices of one are on the other.
Index common_indices(const Axis& a, const Axis& b) {
  const Axis& listed = a.dist_type() == 'u' ? a : b;
  const Axis& other = a.dist_type() == 'u' ? b : a;
  const auto* kind = std::get_if<UnstructuredKind>(&listed.kind());
  if (kind == nullptr) return std::min(a.size(), b.size());
  Index count = 0;
  const auto& entries = kind->entries();
  for (std::size_t i = 0; i < entries.size(); ++i)
    if ((i == 0 || entries[i].global != entries[i - 1].global) && other.owner(entries[i].global)) ++count;
  return count;
}

void check_same_indices(const Axis& source, const Axis& target, Index axis) {
  const Index of_source = distinct(source), of_target = distinct(target);
  if (of_source != of_target)
    refuse("the target has " + std::to_string(of_target) + " indices",
           "must have as many as the source's axis, " + std::to_string(of_source), "", axis);
  const Index common = common_indices(source, target);
  if (common != of_source)
    refuse(std::to_string(of_source - common) + " of the target's indices are held by no process of the source",
           "must be the same indices", "", axis);
}

std::vector<Index> permutation(const std::vector<Index>& axes, Index ndim) {
  std::vector<Index> all(at(ndim));
  std::iota(all.begin(), all.end(), Index{0});
  if (axes.empty()) return all;
  std::vector<Index> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != all)
    refuse("Mapping::axes is not a permutation", "must name each of the " + std::to_string(ndim) + " axes once", "");
  return axes;
}

// What the parts of an array of any axes hold in flat numbers, run after run.
class Flat {
 public:
  Flat(const Distribution& distribution, Order order) : distribution_(distribution), numbers_(distribution, order) {
    for (Index i = 0; i < distribution.ndim(); ++i) {
      shares_ = shares_ || distribution.axis(i).shares_indices();
      order_.axes.push_back(order == Order::row_major ? i : distribution.ndim() - 1 - i);
    }
    order_.reversed.assign(order_.axes.size(), false);
    numbering_ = order;
  }

  // With `owned_alone`, elements that stand on several parts are told of the first one alone.
  template <class Visit>
  void for_each_run(Index process, Part part, bool owned_alone, Visit&& visit) const {
    ArrayRuns runs(distribution_, process, part, order_, numbering_);
    while (const auto run = runs.next()) {
      if (!owned_alone || !shares_) {
        visit(run->global, run->global + run->length);
      } else {
        for (Index number = run->global; number < run->global + run->length; ++number)
          if (distribution_.owner(*numbers_.global_index(number)) == process) visit(number, number + 1);
      }
    }
  }
  Index processes() const { return distribution_.processes(); }
  // How many different elements there are.
  Index count() const {
    std::vector<Index> extents;
    for (Index i = 0; i < distribution_.ndim(); ++i) extents.push_back(distinct(distribution_.axis(i)));
    return checked_product(extents).value_or(0);  // it fits, since the flat numbers do
  }

 private:
  const Distribution& distribution_;
  FlatNumbers numbers_;
  MemoryOrder order_;
  Order numbering_ = Order::row_major;
  bool shares_ = false;
};

// As deal(), of all who hold the indices in their buffers' part.
template <class Add>
void deal_to_all(const Axis& axis, Part part, Index first, Index end, Add&& add) {
  if (const auto* kind = std::get_if<UnstructuredKind>(&axis.kind()); kind != nullptr && kind->shares_indices()) {
    const auto* last = kind->entries().data() + kind->entries().size();
    for (const auto* entry = kind->entries(first).first; entry != last && entry->global < end; ++entry)
      add(entry->place.coordinate, Index{1});
  } else if (part == Part::local && axis.has_communication_padding()) {
    first = std::max<Index>(first, 0);
    end = std::min(end, axis.size());
    if (first >= end) return;
    // Padding repeats what a neighbour owns.
    const Index lowest = *axis.owner(first) - 1, highest = *axis.owner(end - 1) + 1;
    for (Index c = std::max<Index>(lowest, 0); c <= std::min(highest, axis.proc_grid_size() - 1); ++c) {
      const Index begin = axis.global_index(c, 0);
      add(c, std::max<Index>(0, std::min(end, begin + axis.part(c, part).size()) - std::max(first, begin)));
    }
  } else {
    deal(axis, first, end, add);
  }
}

}  // namespace

Index OverlapTable::elements(Index source, Index target) const {
  const auto begin = cells.begin() + begins[at(target)], end = cells.begin() + begins[at(target + 1)];
  const auto cell =
      std::lower_bound(begin, end, source, [](const Cell& a, Index coordinate) { return a.source < coordinate; });
  return cell != end && cell->source == source ? cell->elements : 0;
}

OverlapTable overlap(const Axis& source, const Axis& target, Part target_part) {
  const auto* dealt = std::get_if<CyclicKind>(&target.kind());
  if (dealt == nullptr) return overlap_of_lists(target, target_part, false, source);
  if (const auto* from = std::get_if<CyclicKind>(&source.kind())) return overlap_dealt(*from, *dealt);
  // By the source: it has few stretches, each of many blocks.
  return transposed(overlap_of_lists(source, Part::owned, true, target), target.proc_grid_size());
}

Overlap::Overlap(const Distribution& source, const Distribution& target, const Mapping& mapping) {
  if (mapping.ravel) {
    ravel(source, target, mapping);
  } else {
    pair_axes(source, target, mapping);
  }
}

void Overlap::pair_axes(const Distribution& source, const Distribution& target, const Mapping& mapping) {
  if (source.ndim() != target.ndim())
    refuse("the target has " + std::to_string(target.ndim()) + " axes",
           "must have as many as the source, " + std::to_string(source.ndim()), "");
  const std::vector<Index> axis_of = permutation(mapping.axes, source.ndim());
  for (Index i = 0; i < target.ndim() && !mapping.partial; ++i)
    check_same_indices(source.axis(axis_of[at(i)]), target.axis(i), i);
  std::vector<Index> weights(at(source.ndim()) + 1, 1);
  for (std::size_t i = weights.size() - 1; i-- > 0;)
    weights[i] = weights[i + 1] * source.axis(static_cast<Index>(i)).proc_grid_size();
  Index weight = 1;
  for (Index i = target.ndim(); i-- > 0;) {
    const tridap::Axis &from = source.axis(axis_of[at(i)]), &to = target.axis(i);
    axes_.push_back({overlap(from, to, mapping.fill_padding ? Part::local : Part::owned), from.proc_grid_size(),
                     weights[at(axis_of[at(i)] + 1)], to.proc_grid_size(), weight});
    weight *= to.proc_grid_size();
  }
}

void Overlap::ravel(const Distribution& source, const Distribution& target, const Mapping& mapping) {
  if (source.ndim() != 1 && target.ndim() != 1)
    refuse("Mapping::ravel is set, but neither side has exactly one axis", "must have one on one side", "");
  if (!mapping.axes.empty())
    refuse("Mapping::axes and Mapping::ravel are both set", "but only one of them may be set", "");
  const bool flattens = target.ndim() == 1;  // else the source is the flat side
  const tridap::Axis& line = (flattens ? target : source).axis(0);
  const Flat flat(flattens ? source : target, *mapping.ravel);
  const Part part = mapping.fill_padding ? Part::local : Part::owned;
  TableMaker maker(line.proc_grid_size());
  Index common = 0;
  for (Index p = 0; p < flat.processes(); ++p) {
    const auto add = [&](Index c, Index elements) { maker.add(c, elements); };
    flat.for_each_run(p, flattens ? Part::owned : part, flattens, [&](Index first, Index end) {
      if (flattens) {
        deal_to_all(line, part, first, end, add);
      } else {
        deal(line, first, end, add);
      }
    });
    maker.end_list();
    if (!mapping.partial)
      flat.for_each_run(p, Part::owned, true, [&](Index first, Index end) {
        deal(line, first, end, [&](Index, Index elements) { common += elements; });
      });
  }
  if (!mapping.partial && (common != flat.count() || common != distinct(line)))
    refuse("one side has " + std::to_string(flat.count()) + " elements, and the axis of the other " +
               std::to_string(distinct(line)) + " indices, of which " + std::to_string(common) + " are flat numbers",
           "must be the same elements", "");
  OverlapTable table = maker.take();
  if (flattens) table = transposed(table, line.proc_grid_size());
  axes_.push_back({std::move(table), source.processes(), 1, target.processes(), 1});
}

Index Overlap::elements(Index p, Index q) const {
  Index product = 1;  // it fits where total() does, unless another factor is 0
  for (const Axis& axis : axes_) {
    const Index elements = axis.table.elements(axis.source_coordinate(p), axis.target_coordinate(q));
    product = checked_multiply(product, elements).value_or(0);
  }
  return product;
}

std::optional<Index> Overlap::total() const {
  std::vector<Index> sums;
  for (const Axis& axis : axes_) {
    std::optional<Index> sum = 0;
    for (const OverlapTable::Cell& cell : axis.table.cells) sum = sum ? checked_add(*sum, cell.elements) : sum;
    if (!sum) return sum;
    sums.push_back(*sum);
  }
  return checked_product(sums);
}

}  // namespace tridap::redistribute
