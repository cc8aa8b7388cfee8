#include <dap/compare.hpp>

#include <algorithm>
#include <limits>

namespace dap {

namespace {

// The bounds of a cyclic axis that is a block, being dealt at most one block a coordinate and those in order.
std::optional<std::vector<Index>> block_bounds(const CyclicKind& cyclic) {
  const Index blocks = cyclic.size() / cyclic.block_size() + (cyclic.size() % cyclic.block_size() != 0 ? 1 : 0);
  const Index grid = cyclic.grid();
  if (grid > 1 && blocks > grid - cyclic.first()) return std::nullopt;
  std::vector<Index> bounds{0};
  for (Index c = 0; c < grid; ++c) bounds.push_back(bounds.back() + cyclic.count(c));
  return bounds;
}

// True where every coordinate holds the indices that another axis gives it, in the same order.
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

// Lists that say what a block or cyclic axis says.
std::optional<Axis> without_lists(const Axis& axis, const UnstructuredKind& lists) {
  if (lists.shares_indices() || axis.size() != lists.total()) return std::nullopt;
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
  if (std::get<BlockKind>(axis.kind()).even()) return true;
  Index smallest = std::numeric_limits<Index>::max(), largest = 0;
  for (Index c = 0; c < axis.proc_grid_size(); ++c) {
    smallest = std::min(smallest, axis.count(c));
    largest = std::max(largest, axis.count(c));
  }
  return largest - smallest <= 1;
}

}  // namespace

Axis simplest(const Axis& axis) {
  if (const auto* cyclic = std::get_if<CyclicKind>(&axis.kind())) {
    if (auto bounds = block_bounds(*cyclic)) return Axis(BlockKind(std::move(*bounds)));
  } else if (const auto* lists = std::get_if<UnstructuredKind>(&axis.kind())) {
    if (auto simple = without_lists(axis, *lists)) return *simple;
  }
  return axis;
}

Dealing dealing(const Axis& axis) {
  const Axis simple = simplest(axis);
  if (simple.dist_type() == 'u') return Dealing::unstructured;
  if (simple.proc_grid_size() == 1) return Dealing::undistributed;
  if (const auto* cyclic = std::get_if<CyclicKind>(&simple.kind()))
    return cyclic->block_size() == 1 ? Dealing::cyclic : Dealing::block_cyclic;
  return nearly_even(simple) ? Dealing::block : Dealing::irregular_block;
}

std::string describe(const Axis& axis) {
  const char* const names[] = {"undistributed", "block", "irregular block", "cyclic", "block-cyclic", "unstructured"};
  const Axis simple = simplest(axis);
  std::string line = names[static_cast<int>(dealing(axis))];
  if (const auto* cyclic = std::get_if<CyclicKind>(&simple.kind())) {
    if (cyclic->block_size() > 1) line += " by " + std::to_string(cyclic->block_size());
    if (cyclic->first() > 0) line += " from coordinate " + std::to_string(cyclic->first());
  }
  if (const auto* block = std::get_if<BlockKind>(&simple.kind()); block != nullptr && block->is_padded())
    line += ", padded";
  if (axis.shares_indices()) line += ", shared indices";
  if (axis.periodic()) line += ", periodic";
  return line;
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

// Where a stretch of one owner ends, given an index in it; for lists, an index later.
Index stretch_end(const Axis& axis, Index global, const Place& place) {
  if (const auto* block = std::get_if<BlockKind>(&axis.kind())) return block->begin(place.coordinate + 1);
  const auto* cyclic = std::get_if<CyclicKind>(&axis.kind());
  if (cyclic == nullptr) return global == std::numeric_limits<Index>::max() ? global : global + 1;
  if (cyclic->grid() == 1) return axis.size();
  const Index left = cyclic->block_size() - place.local % cyclic->block_size();
  return left > axis.size() - global ? axis.size() : global + left;
}

// One axis of two distributions. Processes are ravels, so the owners of an element are sums over the axes of
// coordinate x weight; two such sums are equal everywhere exactly where on each axis the difference is one number, and
// these numbers cancel.
class AxisComparison {
 public:
  AxisComparison(const Axis& a, Index weight_a, const Axis& b, Index weight_b)
      : a_(a), b_(b), weight_a_(weight_a), weight_b_(weight_b) {}

  void run() {
    if (std::holds_alternative<UnstructuredKind>(a_.kind()) || std::holds_alternative<UnstructuredKind>(b_.kind()))
      return by_index();
    const auto *dealt_a = std::get_if<CyclicKind>(&a_.kind()), *dealt_b = std::get_if<CyclicKind>(&b_.kind());
    Index enough = std::numeric_limits<Index>::max();  // stretches after which two dealings repeat themselves
    if (dealt_a != nullptr && dealt_b != nullptr) enough = 2 * std::max(dealt_a->grid(), dealt_b->grid()) + 2;
    for (Index global = 0; global < a_.size() && enough-- > 0 && differs_at.empty();) {
      const Place place_a = *a_.locate(global), place_b = *b_.locate(global);
      compare(global, {place_a.coordinate}, {place_b.coordinate}, place_a.local == place_b.local);
      global = std::min(stretch_end(a_, global, place_a), stretch_end(b_, global, place_b));
    }
  }

  std::optional<Index> difference;  // the one number; nothing: no elements
  std::vector<Index> differs_at;    // two indices whose numbers differ, or one that only one side holds
  bool same_places = true;

 private:
  void by_index() {
    const auto indices = [](const Axis& axis) {
      std::vector<Index> all;
      if (const auto* lists = std::get_if<UnstructuredKind>(&axis.kind()))
        for (const auto& entry : lists->entries())
          if (all.empty() || all.back() != entry.global) all.push_back(entry.global);
      return all;
    };
    std::vector<Index> all = indices(a_), others = indices(b_);
    if (all.size() < others.size()) all.swap(others);
    // the axis with lists is walked; the other one may hold an index that it does not
    const bool lists = a_.dist_type() == 'u' && b_.dist_type() == 'u';
    if (lists && all != others) {
      const auto at = std::mismatch(others.begin(), others.end(), all.begin());
      differs_at = {at.first == others.end() ? *at.second : std::min(*at.first, *at.second)};
      return;
    }
    const Axis& plain = a_.dist_type() == 'u' ? b_ : a_;
    for (Index i = 0; !lists && i < static_cast<Index>(all.size()); ++i)
      if (all[static_cast<std::size_t>(i)] != i)
        return differs_at.push_back(std::min(i, all[static_cast<std::size_t>(i)]));
    if (!lists && static_cast<Index>(all.size()) != plain.size())
      return differs_at.push_back(std::min(static_cast<Index>(all.size()), plain.size()));
    for (const Index global : all) {
      const std::vector<Index> owners_a = a_.owners(global), owners_b = b_.owners(global);
      bool same = owners_a.size() == owners_b.size();
      for (std::size_t i = 0; same && i < owners_a.size(); ++i)
        same = a_.local_index(owners_a[i], global) == b_.local_index(owners_b[i], global);
      compare(global, owners_a, owners_b, same);
      if (!differs_at.empty()) return;
    }
  }

  void compare(Index global, const std::vector<Index>& owners_a, const std::vector<Index>& owners_b, bool same_local) {
    same_places = same_places && same_local;
    bool same = owners_a.size() == owners_b.size();
    for (std::size_t i = 0; same && i < owners_a.size(); ++i) {
      const Index number = owners_a[i] * weight_a_ - owners_b[i] * weight_b_;
      if (!difference) {
        difference = number;
        first_ = global;
      }
      same = number == *difference;
    }
    if (!same) differs_at = {global, first_.value_or(global)};
  }

  const Axis &a_, &b_;
  Index weight_a_, weight_b_;
  std::optional<Index> first_;
};

std::string text(const Indices& index) {
  std::string line = "(";
  for (std::size_t i = 0; i < index.size(); ++i) line += (i == 0 ? "" : ", ") + std::to_string(index[i]);
  return line + ")";
}

std::string owned_by(const Distribution& distribution, const Indices& index) {
  const std::vector<Index> owners = distribution.owners(index);
  if (owners.empty()) return "by nobody";
  std::string line = owners.size() == 1 ? "by process " : "by processes ";
  for (std::size_t i = 0; i < owners.size() && i < 4; ++i) line += (i == 0 ? "" : ", ") + std::to_string(owners[i]);
  return line + (owners.size() > 4 ? ", ..." : "");
}

Comparison parted(const Distribution& here, const Distribution& there, const Indices& index) {
  return {
      false, false,
      "index " + text(index) + " is owned " + owned_by(here, index) + " here and " + owned_by(there, index) + " there"};
}

std::vector<Index> weights(const Distribution& distribution) {
  return row_major_strides(distribution.proc_grid_shape(), 1);
}

}  // namespace

Comparison compare(const Distribution& here, const Distribution& there) {
  if (here.shape() != there.shape())
    return {false, false, "the shape is " + text(here.shape()) + " here and " + text(there.shape()) + " there"};
  const std::vector<Index> weight_here = weights(here), weight_there = weights(there);
  Comparison result;
  Indices index;  // some element
  for (Index i = 0; i < here.ndim(); ++i) {
    const auto first = here.axis(i).extremes();
    if (!first) return result;  // nobody owns anything
    index.push_back(first->front());
  }
  Index sum = 0;
  for (Index i = 0; i < here.ndim(); ++i) {
    const auto axis = static_cast<std::size_t>(i);
    AxisComparison comparison(here.axis(i), weight_here[axis], there.axis(i), weight_there[axis]);
    comparison.run();
    for (const Index global : comparison.differs_at) {
      index[axis] = global;
      if (here.owners(index) != there.owners(index)) return parted(here, there, index);
    }
    sum += comparison.difference.value_or(0);
    result.same_places = result.same_places && comparison.same_places;
  }
  if (sum != 0) return parted(here, there, index);
  if (!result.same_places) result.difference = "the owners are the same, but not the order or place of what they hold";
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
    throw Error(Finding{Rule::conversion, process, {}, "", "the local buffer does not fit 64 bits of bytes", "", ""});
  return *bytes;
}

}  // namespace dap
