#include "overlap.hpp"

#include <tridap/detail/refuse.hpp>
#include <tridap/internal/plan_data.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

namespace tridap::redistribute {

namespace {

using Cell = AxisOverlap::Cell;

void check_indices(const Axis& from, const Axis& to, Part part, Index axis, const Mapping& mapping) {
  for (Index s = 0; s < from.proc_grid_size(); ++s)
    check_missing(moves_from(from, s, to, part), End::source, axis, mapping);
  for (Index t = 0; t < to.proc_grid_size(); ++t)
    check_missing(moves_to(from, to, t, part), End::target, axis, mapping);
}

double runs_of(const Axis& axis) {
  if (axis.unstructured() != nullptr) return static_cast<double>(axis.unstructured()->total());
  if (axis.cyclic() == nullptr) return static_cast<double>(axis.proc_grid_size());
  return static_cast<double>(axis.size() / axis.cyclic()->block_size() + 1);
}

// The runs of consecutive flat numbers in all parts.
double runs_of(const Distribution& array, Order order) {
  double runs = 1;
  bool inside = true;  // the axes so far are one run
  for (Index i = 0; i < array.ndim(); ++i) {
    const Axis& axis = array.axis(order == Order::row_major ? array.ndim() - 1 - i : i);
    if (inside && axis.proc_grid_size() == 1 && axis.unstructured() == nullptr) continue;
    const auto* lists = axis.unstructured();
    runs *= inside ? runs_of(axis) : static_cast<double>(lists != nullptr ? lists->total() : axis.size());
    inside = false;
  }
  return runs;
}

// Keeps the largest cells of a row, and returns how many elements the largest other one has. Of as many elements, those
// near the target's own place come first, so that not all want the same.
Index shorten(std::vector<Cell>& of_row, Index most, Index t, const OverlapTable& table) {
  const auto near = static_cast<Index>(static_cast<double>(t) * static_cast<double>(table.source_extent) /
                                       static_cast<double>(table.target_extent));
  const auto away = [&](Index s) { return s >= near ? s - near : s - near + table.source_extent; };
  const auto better = [&](const Cell& a, const Cell& b) {
    return a.elements != b.elements ? a.elements > b.elements : away(a.source) < away(b.source);
  };
  Index others = 0;
  if (most < static_cast<Index>(of_row.size())) {
    const auto last = of_row.begin() + most;
    std::nth_element(of_row.begin(), last, of_row.end(), better);
    others = last->elements;
    of_row.erase(last, of_row.end());
  }
  std::sort(of_row.begin(), of_row.end(), better);
  return others;
}

}  // namespace

void OverlapTable::keep(std::optional<Index> most, bool by_level) {
  std::vector<Cell> of_row;
  for (Index t = 0; t < target_extent; ++t) {
    row(t, of_row);
    Index least = std::numeric_limits<Index>::max(), best = 0, sum = 0;
    for (const Cell& cell : of_row) {
      least = std::min(least, cell.elements);
      best = std::max(best, cell.elements);
      sum += cell.elements;  // at most the elements of the coordinate
    }
    elements = elements ? checked_add(*elements, sum) : elements;
    const auto count = static_cast<Index>(of_row.size());
    looked += count;
    largest.push_back(best);
    level.push_back(count == source_extent && best - least <= one_block);
    left_out.push_back(most ? shorten(of_row, by_level && level.back() ? 0 : *most, t, *this) : 0);
    cells.insert(cells.end(), of_row.begin(), of_row.end());
    begins.push_back(static_cast<Index>(cells.size()));
  }
}

void OverlapTable::all(Index t, std::vector<Cell>& of_row) const {
  if (left_out[at(t)] > 0) return row(t, of_row);
  of_row.assign(cells.begin() + begins[at(t)], cells.begin() + begins[at(t + 1)]);
  std::sort(of_row.begin(), of_row.end(), [](const Cell& a, const Cell& b) { return a.source < b.source; });
}

Index OverlapTable::beyond(Index t, Index most) const {
  const Index begin = begins[at(t)], end = begins[at(t + 1)];
  return most < end - begin ? cells[at(begin + most)].elements : left_out[at(t)];
}

Overlap::Overlap(const Distribution& source, const Distribution& target, const Mapping& mapping, Index processes,
                 const RelabelLimits& limits)
    : most_pairs_(limits.pairs) {
  must_be_possible(static_cast<double>(processes), std::nullopt);
  if (mapping.ravel)
    add_ravelled(source, target, mapping);
  else
    add_axes(source, target, mapping);
  const bool by_level = tables_.size() == 1 && source.processes() == processes;
  for (OverlapTable& table : tables_) {
    const Index each = std::max<Index>(1, limits.entries / std::max<Index>(1, table.target_extent));
    table.keep(processes <= limits.exact_processes ? std::nullopt : std::optional(each), by_level);
  }
}

void Overlap::must_be_possible(double more_pairs, std::optional<Index> axis) {
  pairs_ += more_pairs;
  if (pairs_ <= static_cast<double>(most_pairs_)) return;
  const bool fits = pairs_ < static_cast<double>(std::numeric_limits<Index>::max());
  refuse("to place the parts, about " + (fits ? std::to_string(static_cast<Index>(pairs_)) : "2^63 or more") +
             " pairs must be looked at",
         "must be at most most_pairs, " + std::to_string(most_pairs_),
         "use distributions over fewer processes or with larger blocks, or pass a larger most_pairs", axis);
}

void Overlap::add_axes(const Distribution& source, const Distribution& target, const Mapping& mapping) {
  check_axes(source, target, mapping);
  const Part part = mapping.fill_padding ? Part::local : Part::owned;
  const auto from_axis = [&](Index i) { return mapping.axes.empty() ? i : mapping.axes[at(i)]; };
  Index weight = 1;
  for (Index i = target.ndim(); i-- > 0; weight *= target.axis(i).proc_grid_size()) {
    const Axis &from = source.axis(from_axis(i)), &to = target.axis(i);
    const auto overlap = std::make_shared<AxisOverlap>(from, to, part);
    must_be_possible(overlap->pairs(), i);
    OverlapTable table;
    table.row = [overlap](Index t, std::vector<Cell>& cells) { overlap->row(t, cells); };
    table.source_extent = from.proc_grid_size();
    for (Index k = from_axis(i) + 1; k < source.ndim(); ++k) table.source_weight *= source.axis(k).proc_grid_size();
    table.target_extent = to.proc_grid_size();
    table.target_weight = weight;
    table.one_block = overlap->one_block();
    tables_.push_back(std::move(table));
  }
  for (Index i = 0; i < target.ndim(); ++i) {
    const Axis &from = source.axis(from_axis(i)), &to = target.axis(i);
    if (from.dist_type() == 'u' || to.dist_type() == 'u') check_indices(from, to, part, i, mapping);
  }
}

void Overlap::add_ravelled(const Distribution& source, const Distribution& target, const Mapping& mapping) {
  must_be_possible(runs_of(source, *mapping.ravel) + runs_of(target, *mapping.ravel), std::nullopt);
  for (Index process = target.processes(); process < source.processes(); ++process)
    Plan(source, target, 1, process, mapping);  // which checks both sides; those of the other processes make the rows
  OverlapTable table;
  table.row = [=, &source, &target](Index q, std::vector<Cell>& cells) {
    cells.clear();
    for (const Traffic& one : Plan(source, target, 1, q, mapping).receives()) cells.push_back({one.rank, one.bytes});
  };
  table.source_extent = source.processes();
  table.target_extent = target.processes();
  tables_.push_back(std::move(table));
}

std::vector<Index> Overlap::elements(const std::vector<std::pair<Index, Index>>& parts) const {
  std::vector<Index> products(parts.size(), 1);  // they fit if total() does, unless another factor is 0
  for (std::size_t k = 0; k < parts.size(); ++k) products[k] = parts[k].first < 0 ? 0 : 1;
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<Cell> cells;
  for (const OverlapTable& table : tables_) {
    const auto row_of = [&](std::size_t k) { return table.target_coordinate(parts[k].second); };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return row_of(a) < row_of(b); });
    Index made = -1;
    for (const std::size_t k : order) {
      if (products[k] == 0) continue;
      if (row_of(k) != made) table.all(made = row_of(k), cells);
      const Index wanted = table.source_coordinate(parts[k].first);
      const auto cell = std::lower_bound(cells.begin(), cells.end(), wanted,
                                         [](const Cell& one, Index source) { return one.source < source; });
      const bool found = cell != cells.end() && cell->source == wanted;
      products[k] = checked_multiply(products[k], found ? cell->elements : 0).value_or(0);
    }
  }
  return products;
}

std::optional<Index> Overlap::total() const {
  std::vector<Index> sums;
  for (const OverlapTable& table : tables_) {
    if (!table.elements) return std::nullopt;
    sums.push_back(*table.elements);
  }
  return checked_product(sums);
}

Index Overlap::left_out(Index q, Index most) const {
  Index largest = 0;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    Index product = 1;
    for (std::size_t k = 0; k < tables_.size(); ++k) {
      const OverlapTable& table = tables_[k];
      const Index t = table.target_coordinate(q);
      product = checked_multiply(product, k == i ? table.beyond(t, most) : table.largest[at(t)]).value_or(0);
    }
    largest = std::max(largest, product);
  }
  return largest;
}

Index Overlap::looked() const {
  Index cells = 0;
  for (const OverlapTable& table : tables_) cells += table.looked;
  return cells;
}

bool Overlap::level(Index q) const {
  return std::all_of(tables_.begin(), tables_.end(), [&](const OverlapTable& table) {
    return static_cast<bool>(table.level[at(table.target_coordinate(q))]);
  });
}

}  // namespace tridap::redistribute
