#include <tridap/padding.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace tridap {

namespace {

// A move along one axis. An interior element that repeats itself is a move too.
struct Stretch {
  Index coordinate;  // of the other process
  Range here, there;
};

// For each element of the buffer of coordinate `c`: the interior element that it repeats, as `there` on a coordinate.
// Ascending. A range ends with the interior of that coordinate, where the mirrors end too.
std::vector<Stretch> filled(const Axis& axis, Index c) {
  const Range local = axis.part(c, Part::local);
  if (local.size() == 0) return {};
  if (axis.dist_type() != 'b') return {{c, local, local}};
  std::vector<Stretch> found;
  for (Index at = local.begin; at < local.end;) {
    const Index global = axis.global_index(c, at);
    const Location source = *axis.locate(axis.mirrored(global).value_or(global));
    const Index end = axis.part(source.coordinate, Part::interior).end;
    const Index length = std::min(local.end - at, end - source.local);
    found.push_back({source.coordinate, {at, at + length}, {source.local, source.local + length}});
    at += length;
  }
  return found;
}

// All elements in all buffers that repeat the interior of coordinate `c`, ascending by coordinate and `there`. Only the
// owner of an index and its neighbours hold it, since communication padding is at most as wide as the neighbour's
// share. The edge coordinates own all mirrors [block.padding].
std::vector<Stretch> repeated(const Axis& axis, Index c) {
  std::set<Index> holders;
  for (Index owner : {Index{0}, c, axis.proc_grid_size() - 1})
    for (Index holder = std::max<Index>(owner - 1, 0); holder <= owner + 1 && holder < axis.proc_grid_size(); ++holder)
      holders.insert(holder);
  std::vector<Stretch> found;
  for (Index holder : holders)
    for (const Stretch& stretch : filled(axis, holder))
      if (stretch.coordinate == c) found.push_back({holder, stretch.there, stretch.here});
  return found;
}

// All combinations of one range of each axis, by process, then row-major.
std::vector<PaddingMove> product(const Distribution& distribution, Index process,
                                 std::vector<Stretch> (*stretches)(const Axis&, Index)) {
  const Indices coordinates = distribution.coordinates(process);
  std::vector<PaddingMove> moves{{}};
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    const std::vector<Stretch> along = stretches(axis, coordinates[static_cast<std::size_t>(i)]);
    std::vector<PaddingMove> next;
    next.reserve(moves.size() * along.size());
    for (const PaddingMove& move : moves)
      for (const Stretch& stretch : along) {
        next.push_back(move);
        next.back().process = move.process * axis.proc_grid_size() + stretch.coordinate;
        next.back().here.push_back(stretch.here);
        next.back().there.push_back(stretch.there);
      }
    moves = std::move(next);
  }
  std::stable_sort(moves.begin(), moves.end(),
                   [](const PaddingMove& a, const PaddingMove& b) { return a.process < b.process; });
  return moves;
}

// True if an interior box repeats itself.
bool stays(const PaddingMove& move) {
  return std::equal(move.here.begin(), move.here.end(), move.there.begin(),
                    [](const Range& here, const Range& there) { return here.begin == there.begin; });
}

}  // namespace

Index PaddingMove::count() const {
  std::vector<Index> extents;
  for (const Range& range : here) extents.push_back(range.size());
  const std::optional<Index> count = checked_product(extents);
  if (!count)
    throw Error(Finding{
        Rule::conversion, process, {}, "", "the number of elements of a box of padding does not fit 64 bits", "", ""});
  return *count;
}

PaddingPlan padding_plan(const Distribution& distribution, Index process) {
  PaddingPlan plan;
  for (PaddingMove& move : product(distribution, process, filled)) {
    if (move.process != process)
      plan.receive.push_back(std::move(move));
    else if (!stays(move))
      plan.own.push_back(std::move(move));
  }
  for (PaddingMove& move : product(distribution, process, repeated))
    if (move.process != process) plan.send.push_back(std::move(move));
  return plan;
}

Axis interior_of(const Axis& axis) {
  const BlockKind* block = axis.block();
  if (block == nullptr || !block->is_padded()) return axis;
  std::vector<Index> bounds{0};
  for (Index c = 0; c < block->grid(); ++c) bounds.push_back(bounds.back() + block->part(c, Part::interior).size());
  return Axis(BlockKind(std::move(bounds)));
}

Distribution interior_of(const Distribution& distribution) {
  std::vector<Axis> axes;
  for (Index i = 0; i < distribution.ndim(); ++i) axes.push_back(interior_of(distribution.axis(i)));
  return Distribution(std::move(axes));
}

}  // namespace tridap
