#include <tridap/report.hpp>
#include <tridap/slabs.hpp>

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

struct Listed {
  Index position = 0, local = 0;
};

// The elements of a list with their positions in the file, ascending. In the directory form, positions that are not the
// indices themselves need all lists.
std::vector<Listed> entries_of(const UnstructuredKind& kind, Index size, Index c, Part part) {
  std::vector<Listed> found;
  Index position = 0, previous = 0;
  const auto [smallest, largest] = kind.extremes();
  const bool by_index = kind.total() == 0 || (smallest >= 0 && largest < size);
  const auto* const own = by_index ? kind.own() : nullptr;
  if (own != nullptr) found.reserve(kind.list(c).size());
  const auto& all = own != nullptr ? own->entries : kind.entries();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool first = i == 0 || all[i].global != previous;  // of the coordinates that have this index
    if (first && i > 0) ++position;
    previous = all[i].global;
    if (all[i].place.coordinate == c && (first || part == Part::local))
      found.push_back({by_index ? all[i].global : position, all[i].place.local});
  }
  return found;
}

std::vector<AxisSlab> unstructured_slabs(const UnstructuredKind& kind, Index size, Index c, Part part) {
  const std::vector<Listed> entries = entries_of(kind, size, c, part);
  std::vector<AxisSlab> slabs;
  for (std::size_t i = 0; i < entries.size();) {
    std::size_t end = i + 1;
    Index step = 1;
    if (end < entries.size() && entries[end].local == entries[i].local + 1) {
      step = entries[end].position - entries[i].position;
      while (end < entries.size() && entries[end].local == entries[end - 1].local + 1 &&
             entries[end].position - entries[end - 1].position == step)
        ++end;
      if (end == i + 2 && step > 1) end = i + 1;  // two elements are no progression
    }
    const auto length = static_cast<Index>(end - i);
    const Range local{entries[i].local, entries[i].local + length};
    if (step == 1 || length == 1)
      slabs.push_back({entries[i].position, length, 1, length, local});
    else
      slabs.push_back({entries[i].position, step, length, 1, local});
    i = end;
  }
  return slabs;
}

}  // namespace

std::vector<AxisSlab> axis_slabs(const Axis& axis, Index coordinate, Part part) {
  if (const auto* block = axis.block()) return block_slabs(*block, coordinate, part);
  if (const auto* cyclic = axis.cyclic()) return cyclic_slabs(*cyclic, coordinate);
  return unstructured_slabs(*axis.unstructured(), axis.size(), coordinate, part);
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
