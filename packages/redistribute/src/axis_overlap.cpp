#include "axis_overlap.hpp"

#include <tridap/internal/axis_moves.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace tridap::redistribute {

namespace {

constexpr Index unlimited = std::numeric_limits<Index>::max();

bool listed(const Axis& axis) { return axis.dist_type() == 'u'; }

// The elements of one round of a cyclic axis.
Index round_of(const CyclicKind& cyclic) {
  return checked_multiply(cyclic.block_size(), cyclic.grid()).value_or(unlimited);
}

Index common_round(const CyclicKind& a, const CyclicKind& b) {
  const Index of_a = round_of(a), of_b = round_of(b);
  return checked_multiply(of_a / std::gcd(of_a, of_b), of_b).value_or(unlimited);
}

// The elements of all coordinates.
double indices(const Axis& axis, Part part) {
  if (axis.unstructured() != nullptr) return static_cast<double>(axis.unstructured()->total());
  if (!axis.has_communication_padding()) return static_cast<double>(axis.size());
  double sum = 0;
  for (Index c = 0; c < axis.proc_grid_size(); ++c) sum += static_cast<double>(axis.part(c, part).size());
  return sum;
}

}  // namespace

AxisOverlap::AxisOverlap(const Axis& source, const Axis& target, Part target_part)
    : source_(source), target_(target), part_(target_part), size_(std::min(source.size(), target.size())) {}

// Either each edge of the source's blocks is looked at for each target coordinate, or each of the target's dealt
// blocks.
bool AxisOverlap::by_edges() const {
  return source_.block() != nullptr && target_.cyclic() != nullptr &&
         size_ / target_.cyclic()->block_size() / target_.proc_grid_size() >= source_.proc_grid_size();
}

double AxisOverlap::pairs() const {
  const auto from = static_cast<double>(source_.proc_grid_size()), to = static_cast<double>(target_.proc_grid_size());
  if (listed(source_) || listed(target_)) return indices(source_, Part::owned) + indices(target_, part_);
  if (by_edges()) return from * to;
  const auto *sources = source_.cyclic(), *targets = target_.cyclic();
  double ranges = to, length = 0;  // that are looked up in the source: how many, and of how many elements together
  if (targets != nullptr) {
    const Index again = sources == nullptr ? unlimited : common_round(*sources, *targets);
    length = static_cast<double>(size_ >= again ? again + size_ % again : size_);
    ranges += length / static_cast<double>(targets->block_size());
  } else {
    length = indices(target_, part_);
  }
  if (sources == nullptr)  // padding reaches into further blocks
    return std::min(from * ranges, ranges + from + (targets == nullptr ? length - indices(target_, Part::owned) : 0));
  return std::min(2 * from * ranges, 2 * ranges + length / static_cast<double>(sources->block_size()));
}

Index AxisOverlap::one_block() const {
  const auto *sources = source_.cyclic(), *targets = target_.cyclic();
  if (sources != nullptr && targets != nullptr) return std::min(sources->block_size(), targets->block_size());
  return sources != nullptr ? sources->block_size() : targets != nullptr ? targets->block_size() : 1;
}

void AxisOverlap::row(Index target, std::vector<Cell>& cells) {
  cells.clear();
  if (listed(source_) || listed(target_)) {
    for (const Share& share : moves_to(source_, target_, target, part_).shares)
      cells.push_back({share.peer, share.count});
    return;
  }
  if (by_edges()) return row_of_edges(target_.cyclic()->turn(target), cells);
  sums_.resize(at(source_.proc_grid_size()), 0);
  if (const auto* block = target_.block()) {
    const Range held = block->part(target, part_);
    const Index first = block->first_held(target);
    if (held.size() > 0) spread({first + held.begin, std::min(first + held.end, size_)}, 1);
  } else {
    sum_of_dealt_blocks(target_.cyclic()->turn(target));
  }
  take(cells);
}

AxisOverlap::Dealt AxisOverlap::dealt(Index below) const {
  const Index round = round_of(*target_.cyclic()), rounds = below / round;
  return {rounds * target_.cyclic()->block_size(), below - rounds * round};
}

void AxisOverlap::row_of_edges(Index turn, std::vector<Cell>& cells) {
  const Index grid = source_.proc_grid_size(), block_size = target_.cyclic()->block_size();
  for (Index s = static_cast<Index>(edges_.size()); s <= grid; ++s)
    edges_.push_back(dealt(std::min(source_.block()->begin(s), size_)));
  const Index start = turn * block_size;  // it fits: the target has rounds
  const auto below = [&](const Dealt& edge) {
    return edge.whole + std::clamp<Index>(edge.rest - start, 0, block_size);
  };
  cells.resize(at(grid));
  auto* cell = cells.data();
  for (Index s = 0, begin = below(edges_[0]); s < grid; ++s) {
    const Index end = below(edges_[at(s + 1)]);
    *cell = {s, end - begin};
    cell += end > begin ? 1 : 0;
    begin = end;
  }
  cells.resize(static_cast<std::size_t>(cell - cells.data()));
}

// Where both sides are cyclic, all comes again after a common round.
void AxisOverlap::sum_of_dealt_blocks(Index turn) {
  const auto& cyclic = *target_.cyclic();
  const Index round = round_of(cyclic), length = cyclic.block_size();
  const Index again = source_.cyclic() != nullptr ? common_round(*source_.cyclic(), cyclic) : unlimited;
  const auto start = checked_multiply(turn, length);
  const auto sum_below = [&](Index end, Index times) {
    for (Index first = start.value_or(end); first < end;) {
      spread({first, end - first < length ? end : first + length}, times);
      if (end - first <= round) return;
      first += round;
    }
  };
  if (size_ >= again) sum_below(again, size_ / again);
  sum_below(size_ % again, 1);
}

// Adds the elements of a range to the sums of the source coordinates that own them.
void AxisOverlap::spread(Range range, Index times) {
  if (range.begin >= range.end) return;
  if (const auto* block = source_.block()) {
    for (Index s = block->locate(range.begin)->coordinate; range.begin < range.end; ++s) {
      const Index end = std::min(range.end, block->begin(s + 1));
      if (end > range.begin) add(s, (end - range.begin) * times);
      range.begin = std::max(range.begin, end);
    }
    return;
  }
  const auto& cyclic = *source_.cyclic();
  const Index length = cyclic.block_size(), grid = cyclic.grid(), rounds = range.size() / round_of(cyclic);
  for (Index s = 0; rounds > 0 && s < grid; ++s) add(s, rounds * length * times);
  range.begin += rounds > 0 ? rounds * round_of(cyclic) : 0;
  if (range.begin == range.end) return;
  Index inside = range.begin % length, s = cyclic.locate(range.begin)->coordinate;
  while (range.begin < range.end) {
    const Index elements = std::min(range.size(), length - inside);
    add(s, elements * times);
    range.begin += elements;
    inside = 0;
    if (++s == grid) s = 0;
  }
}

void AxisOverlap::add(Index source, Index elements) {
  if (sums_[at(source)] == 0) seen_.push_back(source);
  sums_[at(source)] += elements;
}

void AxisOverlap::take(std::vector<Cell>& cells) {
  if (seen_.size() > sums_.size() / 16) {  // to sort them would take longer
    seen_.resize(sums_.size());
    std::iota(seen_.begin(), seen_.end(), Index{0});
  } else {
    std::sort(seen_.begin(), seen_.end());
  }
  for (const Index source : seen_)
    if (const Index elements = std::exchange(sums_[at(source)], 0); elements > 0) cells.push_back({source, elements});
  seen_.clear();
}

}  // namespace tridap::redistribute
