#include "compare_digests.hpp"
#include <tridap/compare.hpp>
#include <tridap/internal/spread_lists.hpp>

#include <algorithm>
#include <iterator>
#include <limits>

namespace tridap {

namespace {

// A cyclic axis as a block axis, if each coordinate has at most one block and the blocks are in the order of the
// coordinates. If the first coordinates are empty, the block axis needs memory for each coordinate, so an axis of more
// than 2^20 coordinates is not converted.
std::optional<BlockKind> as_block(const CyclicKind& cyclic) {
  const Index size = cyclic.size(), grid = cyclic.grid(), length = cyclic.block_size();
  const Index blocks = size / length + (size % length != 0 ? 1 : 0);
  if (grid == 1) return BlockKind(size, 1, size);
  if (blocks > grid - cyclic.first()) return std::nullopt;
  if (cyclic.first() == 0 || size == 0) return BlockKind(size, grid, std::min(length, size));
  if (grid > Index{1} << 20) return std::nullopt;
  std::vector<Index> bounds{0};
  for (Index c = 0; c < grid; ++c) bounds.push_back(bounds.back() + cyclic.count(c));
  return BlockKind(std::move(bounds));
}

// True if every coordinate holds the same indices in the same order as in another axis.
bool holds_the_same(const UnstructuredKind& lists, const Axis& axis) {
  for (Index c = 0; c < lists.grid(); ++c) {
    if (axis.count(c) != lists.count(c)) return false;
    bool same = true;
    axis.for_each(c, Part::owned,
                  [&](Index local, Index global) { same = same && lists.global_index(c, local) == global; });
    if (!same) return false;
  }
  return true;
}

// The block or cyclic axis that is equal to lists; nullopt if there is none.
std::optional<Axis> without_lists(const UnstructuredKind& lists) {
  const auto& entries = lists.entries();
  if (entries.empty() || entries.front().global != 0 || entries.back().global != lists.total() - 1) {
    if (!entries.empty()) return std::nullopt;
    return Axis(BlockKind(0, lists.grid(), 0));
  }
  std::vector<Index> bounds{0};
  for (Index c = 0; c < lists.grid(); ++c) bounds.push_back(bounds.back() + lists.count(c));
  const Axis block{BlockKind(std::move(bounds))};
  if (holds_the_same(lists, block)) return block;
  const Index first = entries.front().place.coordinate;
  Index length = 1;  // of the first block
  while (length < lists.count(first) && lists.global_index(first, length) == length) ++length;
  const Axis cyclic{CyclicKind(lists.total(), lists.grid(), length, first)};
  return holds_the_same(lists, cyclic) ? std::optional<Axis>(cyclic) : std::nullopt;
}

bool nearly_even(const Axis& axis) {
  if (axis.block()->is_uniform()) return true;
  Index smallest = std::numeric_limits<Index>::max(), largest = 0;
  for (Index c = 0; c < axis.proc_grid_size(); ++c) {
    smallest = std::min(smallest, axis.count(c));
    largest = std::max(largest, axis.count(c));
  }
  return largest - smallest <= 1;
}

}  // namespace

Axis simplest(const Axis& axis) {
  if (const auto* cyclic = axis.cyclic()) {
    if (auto block = as_block(*cyclic)) return Axis(std::move(*block), axis.periodic());
  } else if (const auto* lists = axis.unstructured(); lists != nullptr && lists->own() == nullptr) {
    if (auto simple = without_lists(*lists)) return Axis(simple->kind(), axis.periodic());
  }
  return axis;
}

Pattern pattern(const Axis& axis) {
  const Axis simple = simplest(axis);
  if (simple.dist_type() == 'u') return Pattern::unstructured;
  if (simple.proc_grid_size() == 1) return Pattern::undistributed;
  if (const auto* cyclic = simple.cyclic()) return cyclic->block_size() == 1 ? Pattern::cyclic : Pattern::block_cyclic;
  return nearly_even(simple) ? Pattern::block : Pattern::irregular_block;
}

std::string describe(const Axis& axis) {
  const char* const names[] = {"undistributed", "block", "irregular block", "cyclic", "block-cyclic", "unstructured"};
  const Axis shown = axis.dist_type() == 'c' ? axis : simplest(axis);
  const auto* cyclic = shown.cyclic();
  const auto* block = shown.block();
  Pattern kind = Pattern::cyclic;
  if (cyclic == nullptr)
    kind = pattern(shown);
  else if (cyclic->block_size() > 1)
    kind = Pattern::block_cyclic;
  std::string line = axis.periodic() ? "periodic " : "";
  if (block != nullptr && block->is_padded()) line += "padded ";
  line += names[static_cast<int>(kind)];
  if (kind == Pattern::block_cyclic) line += " by " + std::to_string(cyclic->block_size());
  if (cyclic != nullptr && cyclic->first() > 0) line += " from coordinate " + std::to_string(cyclic->first());
  return line + (axis.shares_indices() ? " with shared indices" : "");
}

std::string describe(const Distribution& distribution) {
  if (distribution.ndim() == 0) return "one element on one process";
  std::string axes, grid;
  for (Index i = 0; i < distribution.ndim(); ++i) {
    axes += (i == 0 ? "" : " x ") + describe(distribution.axis(i));
    grid += (i == 0 ? "" : " x ") + std::to_string(distribution.axis(i).proc_grid_size());
  }
  return axes + " over " + grid + (distribution.processes() == 1 ? " process" : " processes");
}

namespace {

// The end of the range with one owner that contains an index.
Index stretch_end(const Axis& axis, Index global, const Location& place) {
  if (const auto* block = axis.block()) return block->begin(place.coordinate + 1);
  const auto& cyclic = *axis.cyclic();
  if (cyclic.grid() == 1) return axis.size();
  return global + std::min(axis.size() - global, cyclic.block_size() - place.local % cyclic.block_size());
}

// An owner of an index along one axis: its contribution to the process number, and the local index there.
struct Holder {
  std::uint64_t process = 0, local = 0;

  friend bool operator<(const Holder& a, const Holder& b) {
    return a.process != b.process ? a.process < b.process : a.local < b.local;
  }
  friend bool operator==(const Holder& a, const Holder& b) { return a.process == b.process && a.local == b.local; }
};

std::vector<Holder> holders(const Axis& axis, Index weight, Index global) {
  std::vector<Holder> all;
  for (const Index c : axis.owners(global))
    all.push_back({static_cast<std::uint64_t>(c * weight), static_cast<std::uint64_t>(*axis.local_index(c, global))});
  return all;
}

// The product of two polynomials, sorted. A sum of two exponents fits 64 bits unsigned.
std::vector<Holder> multiplied(const std::vector<Holder>& a, const std::vector<Holder>& b) {
  if (b.size() == 1 && b.front() == Holder{}) return a;  // times 1
  std::vector<Holder> all;
  for (const Holder& one : a)
    for (const Holder& other : b) all.push_back({one.process + other.process, one.local + other.local});
  std::sort(all.begin(), all.end());
  return all;
}

// The contribution of all axes except one to the processes that own an index.
std::vector<Holder> of_other_axes(const Distribution& distribution, const std::vector<Index>& weights, Index but,
                                  const Indices& index) {
  std::vector<Holder> all = {Holder{}};
  for (Index i = 0; i < distribution.ndim(); ++i) {
    if (i == but) continue;
    const auto axis = static_cast<std::size_t>(i);
    std::vector<Holder> factor = holders(distribution.axis(i), weights[axis], index[axis]);
    for (Holder& holder : factor) holder.local = 0;
    all = multiplied(factor, all);
  }
  return all;
}

// Compares one axis of two distributions that are equal at a base element. Only elements that differ from the base in
// this axis are compared. This is sufficient, for the following reason. A process number is a ravel. So the owners of
// an element, with its local indices there, are a product of one polynomial for each axis, with one exponent for the
// process and one for the local index. If a(i) c(0) = b(i) d(0) and a(0) c(j) = b(0) d(j) and a(0) c(0) = b(0) d(0),
// then a(i) c(j) = b(i) d(j). Since d(0) / c(0) = a(0) / b(0), the first equation is also a(i) b(0) = b(i) a(0). If
// c(0) = d(0), it is a(i) = b(i).
class AxisComparison {
 public:
  AxisComparison(const Distribution& here, const Distribution& there, const std::vector<Index>& weights_here,
                 const std::vector<Index>& weights_there, Index axis, const Indices& base)
      : a_(here.axis(axis)),
        b_(there.axis(axis)),
        weight_a_(weights_here[static_cast<std::size_t>(axis)]),
        weight_b_(weights_there[static_cast<std::size_t>(axis)]),
        base_a_(holders(a_, weight_a_, base[static_cast<std::size_t>(axis)])),
        base_b_(holders(b_, weight_b_, base[static_cast<std::size_t>(axis)])),
        factor_a_(of_other_axes(here, weights_here, axis, base)),
        factor_b_(of_other_axes(there, weights_there, axis, base)) {
    if (factor_a_ == factor_b_) {
      factor_a_ = factor_b_ = {Holder{}};
    } else if (base_a_.size() + base_b_.size() < factor_a_.size() + factor_b_.size()) {
      factor_a_ = base_b_;
      factor_b_ = base_a_;
    }
  }

  void run() {
    if (a_.dist_type() == 'u' || b_.dist_type() == 'u') return by_index();
    const auto *cyclic_a = a_.cyclic(), *cyclic_b = b_.cyclic();
    Index enough = std::numeric_limits<Index>::max();  // ranges after which two cyclic axes repeat
    if (cyclic_a != nullptr && cyclic_b != nullptr) enough = 2 * std::max(cyclic_a->grid(), cyclic_b->grid()) + 2;
    for (Index global = 0; global < a_.size() && enough-- > 0 && !differs_at;) {
      const Location place_a = *a_.locate(global), place_b = *b_.locate(global);
      compare(global, place_a, place_b);
      global = std::min(stretch_end(a_, global, place_a), stretch_end(b_, global, place_b));
    }
  }

  std::optional<Index> differs_at;  // an index with different owners
  bool same_places = true;

 private:
  void compare(Index global, const Location& a, const Location& b) {  // for kinds with one owner for every index
    const Holder &base_a = base_a_.front(), &base_b = base_b_.front();
    if (static_cast<std::uint64_t>(a.coordinate * weight_a_) + base_b.process !=
        static_cast<std::uint64_t>(b.coordinate * weight_b_) + base_a.process)
      differs_at = global;
    same_places = same_places && static_cast<std::uint64_t>(a.local) + base_b.local ==
                                     static_cast<std::uint64_t>(b.local) + base_a.local;
  }

  void compare(Index global) {
    const std::vector<Holder> a = multiplied(holders(a_, weight_a_, global), factor_a_);
    const std::vector<Holder> b = multiplied(holders(b_, weight_b_, global), factor_b_);
    bool owners = a.size() == b.size(), places = owners;
    for (std::size_t i = 0; owners && i < a.size(); ++i) {
      owners = a[i].process == b[i].process;
      places = places && a[i].local == b[i].local;
    }
    if (!owners) differs_at = global;
    same_places = same_places && places;
  }

  void by_index() {
    const auto indices = [](const Axis& axis) {
      std::vector<Index> all;
      if (const auto* lists = axis.unstructured())
        for (const auto& entry : lists->entries())
          if (all.empty() || all.back() != entry.global) all.push_back(entry.global);
      return all;
    };
    const std::vector<Index> listed_a = indices(a_), listed_b = indices(b_);
    std::vector<Index> listed;
    std::set_union(listed_a.begin(), listed_a.end(), listed_b.begin(), listed_b.end(), std::back_inserter(listed));
    for (const Index global : listed) {
      compare(global);
      if (differs_at) return;
    }
    Index next = 0;  // the first index that no list holds
    while (next < static_cast<Index>(listed.size()) && listed[static_cast<std::size_t>(next)] == next) ++next;
    for (const Axis* axis : {&a_, &b_})
      if (axis->dist_type() != 'u' && next < axis->size()) differs_at = next;
  }

  const Axis &a_, &b_;
  Index weight_a_, weight_b_;
  std::vector<Holder> base_a_, base_b_;      // at the base
  std::vector<Holder> factor_a_, factor_b_;  // factors that make the two comparable
};

std::string text(const Indices& index) {
  std::string line = "(";
  for (std::size_t i = 0; i < index.size(); ++i) line += (i == 0 ? "" : ", ") + std::to_string(index[i]);
  return line + ")";
}

std::string owned_by(const Distribution& distribution, const Indices& index) {
  const std::vector<Index> owners = distribution.owners(index);
  if (owners.empty()) return "by no process";
  std::string line = owners.size() == 1 ? "by process " : "by processes ";
  for (std::size_t i = 0; i < owners.size() && i < 4; ++i) line += (i == 0 ? "" : ", ") + std::to_string(owners[i]);
  return line + (owners.size() > 4 ? ", ..." : "");
}

Comparison parted(const Distribution& here, const Distribution& there, const Indices& index) {
  return {
      false, false,
      "index " + text(index) + " is owned " + owned_by(here, index) + " here and " + owned_by(there, index) + " there"};
}

// The first index of every axis; nullopt if no process owns any element.
std::optional<Indices> first_element(const Distribution& distribution) {
  Indices first;
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const auto ends = distribution.axis(i).extremes();
    if (!ends) return std::nullopt;
    first.push_back(ends->front());
  }
  return first;
}

std::vector<Index> weights(const Distribution& distribution) {
  return row_major_strides(distribution.proc_grid_shape(), 1);
}

}  // namespace

Comparison compare(const Distribution& here, const Distribution& there) {
  if (has_directory(here) || has_directory(there)) return compare_digests(here, there);
  bool alike = here.ndim() == there.ndim();
  for (Index i = 0; alike && i < here.ndim(); ++i) {   // what lists hold tells more than their size, which may count
    const Axis &a = here.axis(i), &b = there.axis(i);  // shared indices once or every time
    alike = a.size() == b.size() || a.dist_type() == 'u' || b.dist_type() == 'u';
  }
  if (!alike)
    return {false, false, "the shape is " + text(here.shape()) + " here and " + text(there.shape()) + " there"};
  std::optional<Indices> base = first_element(here);
  if (!base) base = first_element(there);
  if (!base) return {};
  const std::vector<Index> owners = here.owners(*base);
  if (owners != there.owners(*base)) return parted(here, there, *base);
  Comparison result;
  for (const Index process : owners)
    result.same_places = result.same_places && here.local_index(process, *base) == there.local_index(process, *base);
  const std::vector<Index> weight_here = weights(here), weight_there = weights(there);
  for (Index i = 0; i < here.ndim(); ++i) {
    AxisComparison comparison(here, there, weight_here, weight_there, i, *base);
    comparison.run();
    if (comparison.differs_at) {
      (*base)[static_cast<std::size_t>(i)] = *comparison.differs_at;
      return parted(here, there, *base);
    }
    result.same_places = result.same_places && comparison.same_places;
  }
  if (!result.same_places) result.difference = "the owners are the same, but their local indices differ";
  return result;
}

Balance balance(const Distribution& distribution) {
  Balance balance{1, 1, 1};
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    Index smallest = std::numeric_limits<Index>::max(), largest = 0;
    double total = 0;
    for (Index c = 0; c < axis.proc_grid_size(); ++c) {
      smallest = std::min(smallest, axis.count(c));
      largest = std::max(largest, axis.count(c));
      total += static_cast<double>(axis.count(c));
    }
    balance.smallest = checked_multiply(balance.smallest, smallest).value_or(std::numeric_limits<Index>::max());
    balance.largest = checked_multiply(balance.largest, largest).value_or(std::numeric_limits<Index>::max());
    balance.mean *= total / static_cast<double>(axis.proc_grid_size());
  }
  return balance;
}

Index local_bytes(const Distribution& distribution, Index process, Index element_bytes) {
  const auto bytes = checked_multiply(distribution.count(process, Part::local), element_bytes);
  if (!bytes)
    throw Error(Finding{
        Rule::conversion, process, {}, "", "the number of bytes of the local buffer does not fit 64 bits", "", ""});
  return *bytes;
}

}  // namespace tridap
