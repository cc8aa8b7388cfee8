#include "nearest.hpp"

#include "form.hpp"
#include <tridap/compare.hpp>
#include <tridap/globalarrays/import.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace tridap::globalarrays {

namespace {

using redistribute::PlacedDistribution;

// One axis with another distribution. `from`: the coordinate of the old axis to which each new one corresponds.
struct Turned {
  Axis axis;
  std::vector<Index> from;
};

std::vector<Index> counted(Index count) {
  std::vector<Index> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

// The mean of a coordinate's indices, which shows where its share would be.
double middle(const std::vector<Index>& list) {
  double sum = 0;
  for (const Index index : list) sum += static_cast<double>(index);
  return sum / static_cast<double>(list.size());
}

// The coordinates of lists, in the order of the means of their indices.
std::vector<Index> in_order(const UnstructuredKind& lists) {
  std::vector<Index> order = counted(lists.grid());
  std::vector<double> middles;
  for (Index c = 0; c < lists.grid(); ++c) middles.push_back(lists.count(c) == 0 ? 0 : middle(lists.list(c)));
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return middles[static_cast<std::size_t>(a)] < middles[static_cast<std::size_t>(b)];
  });
  return order;
}

// The coordinates of a cyclic axis, in the order in which they get their blocks.
std::vector<Index> served(const CyclicKind& cyclic) {
  std::vector<Index> order;
  for (Index turn = 0; turn < cyclic.grid(); ++turn) order.push_back((turn + cyclic.first()) % cyclic.grid());
  return order;
}

// How many of the indices before `end` a coordinate of a block or cyclic axis owns.
Index owned_before(const Axis& axis, Index c, Index end) {
  if (const auto* block = std::get_if<BlockKind>(&axis.kind()))
    return std::clamp(end, block->begin(c), block->begin(c + 1)) - block->begin(c);
  const auto& cyclic = std::get<CyclicKind>(axis.kind());
  const Index length = cyclic.block_size(), blocks = end / length;
  const Index rounds = blocks / cyclic.grid(), left = blocks % cyclic.grid(), turn = cyclic.turn(c);
  return rounds * length + (left > turn ? length : left == turn ? end % length : 0);
}

// The number of indices that a coordinate of an axis and a coordinate of the changed axis both own.
Index common(const Axis& before, Index here, const Axis& after, Index there) {
  if (const auto* lists = std::get_if<UnstructuredKind>(&before.kind())) {
    Index count = 0;
    for (const Index index : lists->list(here)) count += after.owner(index) == there ? 1 : 0;
    return count;
  }
  if (const auto* block = std::get_if<BlockKind>(&before.kind()))
    return owned_before(after, there, block->begin(here + 1)) - owned_before(after, there, block->begin(here));
  if (const auto* block = std::get_if<BlockKind>(&after.kind()))
    return owned_before(before, here, block->begin(there + 1)) - owned_before(before, here, block->begin(there));
  const auto &one = std::get<CyclicKind>(before.kind()), &other = std::get<CyclicKind>(after.kind());
  return one.turn(here) == other.turn(there) ? one.count(here) : 0;  // same block size and grid: only rotated
}

// Ranges as long as the shares of `axis`, in this order of its coordinates.
Turned ranges(const Axis& axis, std::vector<Index> order) {
  std::vector<Index> bounds{0};
  for (const Index c : order) bounds.push_back(bounds.back() + axis.count(c));
  return {Axis(BlockKind(std::move(bounds))), std::move(order)};
}

// The ranges that keep the most elements where they are. Lists that are ranges, and a cyclic axis of one block for each
// coordinate, do not change. The ranges of a block axis are its own, without padding.
Turned in_ranges(const Axis& axis) {
  const Index grid = axis.proc_grid_size();
  std::vector<Turned> all{ranges(axis, counted(grid))};
  if (axis.dist_type() == 'b') return all[0];
  if (const auto* cyclic = std::get_if<CyclicKind>(&axis.kind())) all.push_back(ranges(axis, served(*cyclic)));
  if (const auto* lists = std::get_if<UnstructuredKind>(&axis.kind())) all.push_back(ranges(axis, in_order(*lists)));
  const Index even = axis.size() / grid + (axis.size() % grid != 0 ? 1 : 0);
  all.push_back({Axis(BlockKind(axis.size(), grid, even)), counted(grid)});
  std::size_t best = 0;
  Index most = -1;
  for (std::size_t k = 0; k < all.size(); ++k) {
    Index stays = 0;
    for (Index c = 0; c < grid; ++c) stays += common(axis, all[k].from[static_cast<std::size_t>(c)], all[k].axis, c);
    if (stays > most) best = k;
    most = std::max(most, stays);
  }
  return all[best];
}

// The same, with its padding if GA can hold this axis alone.
Turned padded_ranges(const Axis& axis, const ElementType& type) {
  const Index grid = axis.proc_grid_size();
  const auto* block = std::get_if<BlockKind>(&axis.kind());
  if (block == nullptr || !block->is_padded()) return in_ranges(axis);
  const PlacedDistribution alone(Distribution(std::vector<Axis>{axis}));
  if (std::holds_alternative<Finding>(form_of(alone, type, grid))) return in_ranges(axis);
  return {axis, counted(grid)};
}

// The cyclic axis that begins at the first coordinate. Each coordinate corresponds to the old one that got its blocks
// in the same turn.
Turned unrotated(const Axis& axis) {
  const auto* cyclic = std::get_if<CyclicKind>(&axis.kind());
  if (cyclic == nullptr) return in_ranges(axis);
  const CyclicKind first(cyclic->size(), cyclic->grid(), cyclic->block_size(), 0);
  return {Axis(first), served(*cyclic)};
}

// All axes with their new distributions. Each part is on the rank that held the part to which it corresponds.
PlacedDistribution put(const PlacedDistribution& placed, const std::vector<Turned>& axes) {
  std::vector<Axis> dealt;
  for (const Turned& one : axes) dealt.push_back(one.axis);
  PlacedDistribution made(Distribution(std::move(dealt)), {});
  for (Index process = 0; process < made.distribution.processes(); ++process) {
    Indices coordinates = made.distribution.coordinates(process);
    for (std::size_t i = 0; i < axes.size(); ++i)
      coordinates[i] = axes[i].from[static_cast<std::size_t>(coordinates[i])];
    made.ranks.push_back(placed.rank(placed.distribution.process(coordinates)));
  }
  if (made.ranks == counted(made.distribution.processes())) made.ranks.clear();
  return made;
}

// How many elements are on the same rank in both.
Index staying(const PlacedDistribution& here, const PlacedDistribution& there, Index processes) {
  std::vector<std::map<std::pair<Index, Index>, Index>> known(static_cast<std::size_t>(here.distribution.ndim()));
  Index sum = 0;
  for (Index rank = 0; rank < processes; ++rank) {
    const std::optional<Index> from = here.process(rank), to = there.process(rank);
    if (!from || !to) continue;
    const Indices left = here.distribution.coordinates(*from), right = there.distribution.coordinates(*to);
    Index product = 1;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const auto [found, is_new] = known[i].try_emplace({left[i], right[i]}, 0);
      const auto axis = static_cast<Index>(i);
      if (is_new)
        found->second = common(here.distribution.axis(axis), left[i], there.distribution.axis(axis), right[i]);
      product *= found->second;
    }
    sum += product;
  }
  return sum;
}

// The distributions that may be nearest, the simplest first: all axes in ranges, with the padding of those axes that
// can have it. Then without padding: cyclic from the first process on; all axes in ranges; cyclic on the first axis
// alone. Each is also tried with its ranks in order, because GA can hold some only so.
std::vector<PlacedDistribution> candidates(const PlacedDistribution& placed, const ElementType& type) {
  std::vector<std::vector<Turned>> all(3);
  std::vector<Turned> padded;
  bool keeps = false;
  for (Index i = 0; i < placed.distribution.ndim(); ++i) {
    const Axis axis = simplest(placed.distribution.axis(i));
    const Turned in_blocks = in_ranges(axis), turned = unrotated(axis);
    all[0].push_back(turned);
    all[1].push_back(in_blocks);
    all[2].push_back(i == 0 ? turned : in_blocks);
    padded.push_back(padded_ranges(axis, type));
    const auto* block = std::get_if<BlockKind>(&padded.back().axis.kind());
    keeps = keeps || (block != nullptr && block->is_padded());
  }
  if (keeps) all.insert(all.begin(), std::move(padded));
  std::vector<PlacedDistribution> made;
  for (const std::vector<Turned>& axes : all) {
    made.push_back(put(placed, axes));
    made.emplace_back(made.back().distribution);
  }
  return made;
}

}  // namespace

PlacedDistribution nearest_in(const PlacedDistribution& placed, const ElementType& type, Index processes,
                              bool leading) {
  const std::variant<Form, Finding> answer = form_of(placed, type, processes, leading);
  const auto* why_not = std::get_if<Finding>(&answer);
  if (why_not == nullptr) return placed;
  if (const std::optional<Finding> hopeless = none_is_near(placed, type, processes)) throw Error(*hopeless);
  std::optional<PlacedDistribution> best;
  Index most = -1;
  for (const PlacedDistribution& one : candidates(placed, type)) {
    if (std::holds_alternative<Finding>(form_of(one, type, processes, leading))) continue;
    const Index stays = staying(placed, one, processes);
    if (stays > most) best = one;
    most = std::max(most, stays);
  }
  if (!best) throw Error(*why_not);
  return *best;
}

Finding with_nearest(Finding why_not, const PlacedDistribution& placed, const ElementType& type, Index processes,
                     bool leading) {
  try {
    const PlacedDistribution other = nearest_in(placed, type, processes, leading);
    why_not.remedy += ", or use the nearest distribution that GA holds: " + describe(other.distribution);
  } catch (const Error&) {  // there is none
  }
  return why_not;
}

PlacedDistribution nearest(const PlacedDistribution& placed, const ElementType& type, Index processes) {
  return nearest_in(placed, type, processes, true);
}

}  // namespace tridap::globalarrays
