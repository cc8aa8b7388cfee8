#include <tridap/internal/list_slabs.hpp>
#include <tridap/internal/spread_lists.hpp>
#include <tridap/report.hpp>

#include <algorithm>
#include <utility>

namespace tridap {

namespace {

std::vector<AxisSlab> block_slabs(const BlockKind& block, Index c, Part part) {
  const Range local = block.part(c, part);
  if (local.size() == 0) return {};
  return {{block.global_index(c, local.begin), local.size(), 1, local.size(), local}};
}

// Whole blocks, then the shorter one at the end.
std::vector<AxisSlab> cyclic_slabs(const CyclicKind& cyclic, Index c) {
  const Index held = cyclic.count(c);
  if (held == 0) return {};
  const Index first = cyclic.global_index(c, 0);
  if (cyclic.grid() == 1) return {{first, held, 1, held, {0, held}}};
  const Index length = std::min(cyclic.block_size(), held), whole = held / length, rest = held % length;
  std::vector<AxisSlab> slabs;
  const Index stride = whole > 1 ? cyclic.global_index(c, length) - first : length;
  slabs.push_back({first, stride, whole, length, {0, whole * length}});
  if (rest > 0) slabs.push_back({cyclic.global_index(c, held - rest), rest, 1, rest, {held - rest, held}});
  return slabs;
}

// Whether the positions in a file are the indices themselves.
bool by_index(const UnstructuredKind& kind, Index size) {
  const auto [smallest, largest] = kind.extremes();
  return kind.total() == 0 || (smallest >= 0 && largest < size);
}

// The elements of a list with their positions in the file, ascending.
std::vector<ListedPosition> entries_of(const UnstructuredKind& kind, Index size, Index c, Part part) {
  std::vector<ListedPosition> found;
  const bool are_indices = by_index(kind, size);
  Index position = 0, previous = 0;
  const std::vector<UnstructuredKind::Entry>& all = kind.entries();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool first = i == 0 || all[i].global != previous;  // of the coordinates that have this index
    if (first && i > 0) ++position;
    previous = all[i].global;
    if (all[i].place.coordinate == c && (first || part == Part::local))
      found.push_back({are_indices ? all[i].global : position, all[i].place.local});
  }
  return found;
}

// The same in the directory form, of this process's list.
std::vector<ListedPosition> own_entries(const Axis& axis, Index c, Part part, const KnownPositions* known) {
  const UnstructuredKind& kind = *axis.unstructured();
  std::vector<ListedPosition> found;
  found.reserve(kind.list(c).size());
  const bool are_indices = by_index(kind, axis.size()), have_gaps = has_gaps(axis);
  const bool asks = !are_indices && have_gaps && !kind.list(c).empty();
  if (asks && (known == nullptr || known->positions.empty())) kind.entries();  // throws
  const std::vector<UnstructuredKind::Entry>& all = kind.own()->entries;
  std::size_t at = 0;  // in `known`, which is ascending, too
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool first = i == 0 || all[i].global != all[i - 1].global;
    if (all[i].place.coordinate != c || (!first && part != Part::local)) continue;
    Index position = all[i].global;
    if (!are_indices && !have_gaps) position -= kind.extremes()[0];
    if (!are_indices && have_gaps) {
      while (known->indices[at] < all[i].global) ++at;
      position = known->positions[at];
    }
    found.push_back({position, all[i].place.local});
  }
  return found;
}

}  // namespace

std::vector<ListedPosition> listed_positions(const Axis& axis, Index coordinate, Part part,
                                             const KnownPositions* known) {
  const UnstructuredKind& kind = *axis.unstructured();
  return kind.own() != nullptr ? own_entries(axis, coordinate, part, known)
                               : entries_of(kind, axis.size(), coordinate, part);
}

AxisSlab slab_at(const std::vector<ListedPosition>& elements, std::size_t first) {
  std::size_t end = first + 1;
  Index step = 1;
  const auto follows = [&](std::size_t i) {
    return i < elements.size() && elements[i].local == elements[i - 1].local + 1;
  };
  if (follows(end)) {
    step = elements[end].position - elements[first].position;
    while (follows(end) && elements[end].position - elements[end - 1].position == step) ++end;
    if (end == first + 2 && step > 1) end = first + 1;  // two elements are no progression
  }
  const auto length = static_cast<Index>(end - first);
  const auto [position, local] = elements[first];
  if (step == 1 || length == 1) return {position, length, 1, length, {local, local + length}};
  return {position, step, length, 1, {local, local + length}};
}

namespace {

// They are counted first, because there may be one for each element.
std::vector<AxisSlab> unstructured_slabs(const Axis& axis, Index c, Part part, const KnownPositions* known) {
  const std::vector<ListedPosition> elements = listed_positions(axis, c, part, known);
  const auto for_each = [&](auto&& visit) {
    for (std::size_t i = 0; i < elements.size();) {
      const AxisSlab slab = slab_at(elements, i);
      visit(slab);
      i += static_cast<std::size_t>(slab.size());
    }
  };
  std::size_t count = 0;
  for_each([&](const AxisSlab&) { ++count; });
  std::vector<AxisSlab> slabs;
  slabs.reserve(count);
  for_each([&](const AxisSlab& slab) { slabs.push_back(slab); });
  return slabs;
}

}  // namespace

std::vector<AxisSlab> axis_slabs(const Axis& axis, Index coordinate, Part part, const KnownPositions* known) {
  if (const auto* block = axis.block()) return block_slabs(*block, coordinate, part);
  if (const auto* cyclic = axis.cyclic()) return cyclic_slabs(*cyclic, coordinate);
  return unstructured_slabs(axis, coordinate, part, known);
}

Slabs::Slabs(std::vector<std::vector<AxisSlab>> axes) : axes_(std::move(axes)) {
  std::vector<Index> counts;
  for (const auto& axis : axes_) counts.push_back(static_cast<Index>(axis.size()));
  const std::optional<Index> product = checked_product(counts);
  if (!product) throw Error(Finding{Rule::conversion, {}, {}, "", "the number of slabs does not fit 64 bits", "", ""});
  size_ = *product;
}

Slab Slabs::operator[](Index i) const {
  Slab slab(axes_.size());
  for (std::size_t k = axes_.size(); k-- > 0;) {
    const auto count = static_cast<Index>(axes_[k].size());
    slab[k] = axes_[k][static_cast<std::size_t>(i % count)];
    i /= count;
  }
  return slab;
}

Slabs Distribution::slabs(Index process, Part part) const {
  const Indices at = coordinates(process);
  std::vector<std::vector<AxisSlab>> axes;
  for (std::size_t i = 0; i < axes_.size(); ++i) axes.push_back(axis_slabs(axes_[i], at[i], part));
  return Slabs(std::move(axes));
}

}  // namespace tridap
