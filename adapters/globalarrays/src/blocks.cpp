#include "blocks.hpp"

#include "description.hpp"
#include "ga.hpp"
#include "named.hpp"

#include <algorithm>
#include <string>

namespace tridap::globalarrays {

namespace {

// A process's block, as half-open ranges.
struct Held {
  Index rank = 0;
  Extents begin{}, end{};
};

std::vector<Held> all_held(const Description& d) {
  std::vector<Held> all;
  for (Index rank = 0; rank < d.processes(); ++rank) {
    Held held;
    held.rank = rank;
    NGA_Distribution64(d.handle, static_cast<int>(rank), held.begin.data(), held.end.data());
    if (held.begin[0] < 0) continue;
    for (std::size_t axis = 0; axis < d.ndim; ++axis) ++held.end[axis];
    all.push_back(held);
  }
  return all;
}

// Where the blocks of an axis begin, and the end of the axis. If empty blocks come before another one, all of them
// begin at one index. GA sees only the last of these, and counts the blocks from it to the upper end.
std::vector<Index> bounds_of(const Description& d, const std::vector<Held>& all, std::size_t axis) {
  std::vector<Index> starts;
  for (const Held& held : all) starts.push_back(held.begin[axis]);
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  std::vector<Index> bounds;
  const bool none_empty = static_cast<Index>(starts.size()) == d.blocks[axis];
  for (const Index start : starts) {
    Index last = static_cast<Index>(bounds.size());
    if (!none_empty) {
      Extents lo{}, hi{};
      lo[axis] = start;
      hi[axis] = d.shape[axis] - 1;
      last = d.blocks[axis] - NGA_Locate_nnodes64(d.handle, lo.data(), hi.data());
    }
    while (static_cast<Index>(bounds.size()) <= last) bounds.push_back(start);
  }
  bounds.push_back(d.shape[axis]);
  return bounds;
}

// The coordinates that a block with these ends may have on an axis: several if it is empty.
Range candidates(const std::vector<Index>& bounds, Index begin, Index end) {
  const auto [first, past] = std::equal_range(bounds.begin(), bounds.end() - 1, begin);
  const Index last = past - bounds.begin() - 1;
  return end > begin ? Range{last, last + 1} : Range{first - bounds.begin(), last};
}

// Gives a block the first free place of those that it may have. Empty blocks with the same ends do not differ. If each
// process may have the place of its rank, it gets it, because they come in ascending order.
void place(const Description& d, const Held& held, Blocks& blocks) {
  Extents extents{}, first{};
  Index count = 1;
  for (std::size_t axis = 0; axis < d.ndim; ++axis) {
    const Range range = candidates(blocks.bounds[axis], held.begin[axis], held.end[axis]);
    first[axis] = range.begin;
    extents[axis] = range.size();
    count *= range.size();
  }
  for (Index k = 0; k < count; ++k) {
    Extents coordinates = unravel(k, extents, d.ndim);
    for (std::size_t axis = 0; axis < d.ndim; ++axis) coordinates[axis] += first[axis];
    Index& owner = blocks.owners[static_cast<std::size_t>(ravel(coordinates, d.grid, d.ndim))];
    if (owner >= 0) continue;
    owner = held.rank;
    return;
  }
}

}  // namespace

Blocks blocks_of(const Description& d) {
  const std::vector<Held> all = all_held(d);
  Blocks blocks;
  for (std::size_t axis = 0; axis < d.ndim; ++axis) blocks.bounds.push_back(bounds_of(d, all, axis));
  blocks.owners.assign(static_cast<std::size_t>(d.places()), -1);
  for (const Held& held : all) place(d, held, blocks);
  if (std::count(blocks.owners.begin(), blocks.owners.end(), Index{-1}) > 0)
    refuse("blocks of Global Array " + std::to_string(d.handle) + " are on no process", "",
           "restrict it to as many processes as there are blocks");
  return blocks;
}

}  // namespace tridap::globalarrays
