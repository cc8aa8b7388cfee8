#include "nearest.hpp"

#include "form.hpp"
#include <tridap/compare.hpp>
#include <tridap/globalarrays/import.hpp>
#include <tridap/internal/axis_moves.hpp>

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

// The coordinates of lists, in the order of the means of their indices, which show where their shares would be.
std::vector<Index> in_order(const UnstructuredKind& lists) {
  std::vector<std::pair<double, Index>> means;
  for (Index c = 0; c < lists.grid(); ++c) {
    double sum = 0;
    for (const Index index : lists.list(c)) sum += static_cast<double>(index);
    means.emplace_back(sum / static_cast<double>(std::max<Index>(lists.count(c), 1)), c);
  }
  std::sort(means.begin(), means.end());
  std::vector<Index> order;
  for (const auto& [mean, c] : means) order.push_back(c);
  return order;
}

// The coordinates of a cyclic axis, in the order in which they get their blocks.
std::vector<Index> served(const CyclicKind& cyclic) {
  std::vector<Index> order;
  for (Index turn = 0; turn < cyclic.grid(); ++turn) order.push_back((turn + cyclic.first()) % cyclic.grid());
  return order;
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
  if (const auto* cyclic = axis.cyclic()) all.push_back(ranges(axis, served(*cyclic)));
  if (const auto* lists = axis.unstructured()) all.push_back(ranges(axis, in_order(*lists)));
  const Index even = axis.size() / grid + (axis.size() % grid != 0 ? 1 : 0);
  all.push_back({Axis(BlockKind(axis.size(), grid, even)), counted(grid)});
  std::size_t best = 0;
  Index most = -1;
  for (std::size_t k = 0; k < all.size(); ++k) {
    Index stays = 0;
    for (Index c = 0; c < grid; ++c)
      stays +=
          redistribute::moves_from(axis, all[k].from[static_cast<std::size_t>(c)], all[k].axis, Part::owned).count(c);
    if (stays > most) best = k;
    most = std::max(most, stays);
  }
  return all[best];
}

// The same, with its padding if GA can hold this axis alone.
Turned padded_ranges(const Axis& axis, const ElementType& type) {
  const Index grid = axis.proc_grid_size();
  const auto* block = axis.block();
  if (block == nullptr || !block->is_padded()) return in_ranges(axis);
  const PlacedDistribution alone(Distribution(std::vector<Axis>{axis}));
  if (why_not(alone, type, grid)) return in_ranges(axis);
  return {axis, counted(grid)};
}

// The cyclic axis that begins at the first coordinate. Each coordinate corresponds to the old one that got its blocks
// in the same turn.
Turned unrotated(const Axis& axis) {
  const auto* cyclic = axis.cyclic();
  if (cyclic == nullptr) return in_ranges(axis);
  const CyclicKind first(cyclic->size(), cyclic->grid(), cyclic->block_size(), 0);
  return {Axis(first), served(*cyclic)};
}

// All axes with their new distributions. Each part is on the rank that held the part to which it corresponds.
PlacedDistribution put(const PlacedDistribution& placed, const std::vector<Turned>& axes) {
  std::vector<Axis> dealt;
  for (const Turned& one : axes) dealt.push_back(one.axis);
  const Distribution made(std::move(dealt));
  std::vector<Index> ranks;
  for (Index process = 0; process < made.processes(); ++process) {
    Indices coordinates = made.coordinates(process);
    for (std::size_t i = 0; i < axes.size(); ++i)
      coordinates[i] = axes[i].from[static_cast<std::size_t>(coordinates[i])];
    ranks.push_back(placed.rank(placed.distribution().process(coordinates)));
  }
  return {made, std::move(ranks)};
}

// How many elements are on the same rank in both.
Index staying(const PlacedDistribution& here, const PlacedDistribution& there, Index processes) {
  // Of each axis, by coordinate here.
  std::vector<std::map<Index, redistribute::AxisMoves>> known(static_cast<std::size_t>(here.distribution().ndim()));
  Index sum = 0;
  for (Index rank = 0; rank < processes; ++rank) {
    const std::optional<Index> from = here.process(rank), to = there.process(rank);
    if (!from || !to) continue;
    const Indices left = here.distribution().coordinates(*from), right = there.distribution().coordinates(*to);
    Index product = 1;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const auto [found, is_new] = known[i].try_emplace(left[i]);
      const auto axis = static_cast<Index>(i);
      if (is_new) {
        found->second = redistribute::moves_from(here.distribution().axis(axis), left[i],
                                                 there.distribution().axis(axis), Part::owned);
        found->second.sections = {};  // only its counts are used
      }
      product *= found->second.count(right[i]);
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
  for (Index i = 0; i < placed.distribution().ndim(); ++i) {
    const Axis axis = simplest(placed.distribution().axis(i));
    const Turned in_blocks = in_ranges(axis), turned = unrotated(axis);
    all[0].push_back(turned);
    all[1].push_back(in_blocks);
    all[2].push_back(i == 0 ? turned : in_blocks);
    padded.push_back(padded_ranges(axis, type));
    const auto* block = padded.back().axis.block();
    keeps = keeps || (block != nullptr && block->is_padded());
  }
  if (keeps) all.insert(all.begin(), std::move(padded));
  std::vector<PlacedDistribution> made;
  for (const std::vector<Turned>& axes : all) {
    made.push_back(put(placed, axes));
    made.emplace_back(made.back().distribution());
  }
  return made;
}

}  // namespace

PlacedDistribution nearest_in(const PlacedDistribution& placed, const ElementType& type, Index processes,
                              bool leading) {
  const std::optional<Finding> why = why_not(placed, type, processes, leading);
  if (!why) return placed;
  check_hope(placed, type, processes);
  std::optional<PlacedDistribution> best;
  Index most = -1;
  for (const PlacedDistribution& one : candidates(placed, type)) {
    if (why_not(one, type, processes, leading)) continue;
    const Index stays = staying(placed, one, processes);
    if (stays > most) best = one;
    most = std::max(most, stays);
  }
  if (!best) throw Error(*why);
  return *best;
}

Finding with_nearest(Finding why, const PlacedDistribution& placed, const ElementType& type, Index processes,
                     bool leading) {
  try {
    const PlacedDistribution other = nearest_in(placed, type, processes, leading);
    why.remedy += ", or use the nearest distribution that GA holds: " + describe(other.distribution());
  } catch (const Error&) {  // there is none
  }
  return why;
}

Form need_form(const PlacedDistribution& placed, const ElementType& type, Index processes, bool leading) {
  if (const std::optional<Finding> why = why_not(placed, type, processes, leading))
    throw Error(with_nearest(*why, placed, type, processes, leading));
  return form_of(placed, type, processes, leading);
}

PlacedDistribution nearest(const PlacedDistribution& placed, const ElementType& type, Index processes) {
  return nearest_in(placed, type, processes, true);
}

std::optional<std::string> refusal(const PlacedDistribution& placed, const ElementType& type, Index processes) {
  const std::optional<Finding> why = why_not(placed, type, processes);
  if (!why) return std::nullopt;
  return with_nearest(*why, placed, type, processes, true).text();
}

}  // namespace tridap::globalarrays
