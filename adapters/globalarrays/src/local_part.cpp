#include "local_part.hpp"

#include "blocks.hpp"
#include "ga.hpp"
#include "named.hpp"

#include <algorithm>

namespace tridap::globalarrays {

namespace {

// The place of a block that is not empty. On each axis, GA counts the blocks from it to the upper end, unless it is
// known to be the last one, or the first of two. (The blocks below it may include empty ones, which GA does not see.)
void count_coordinates(const Description& d, LocalPart& part) {
  for (std::size_t axis = 0; axis < d.ndim; ++axis) {
    part.coordinates[axis] = d.blocks[axis] - 1;
    if (part.begin[axis] + part.extent[axis] == d.shape[axis]) continue;
    if (--part.coordinates[axis] == 0) continue;  // the first one of two
    Extents hi;
    for (std::size_t k = 0; k < d.ndim; ++k) hi[k] = k == axis ? d.shape[k] - 1 : part.begin[k];
    part.coordinates[axis] = d.blocks[axis] - NGA_Locate_nnodes64(d.handle, part.begin.data(), hi.data());
  }
}

// GA reports the lengths that it allocates, on all axes but the first. The length on the first axis follows from the
// number of elements.
void find_widths(const Description& d, Index elements, LocalPart& part) {
  Extents ld{};
  void* first = nullptr;
  Extents lo = part.begin, hi = part.begin;
  for (std::size_t axis = 0; axis < d.ndim; ++axis) hi[axis] += part.extent[axis] - 1;
  NGA_Access64(d.handle, lo.data(), hi.data(), &first, ld.data());
  Index row = 1;
  for (std::size_t axis = 1; axis < d.ndim; ++axis) {
    part.width[axis] = (ld[axis - 1] - part.extent[axis]) / 2;
    row *= ld[axis - 1];
  }
  part.width[0] = (elements / row - part.extent[0]) / 2;
}

// GA does not report where an empty block is.
void find_empty(const Description& d, bool ghosts, LocalPart& part) {
  if (ghosts) refuse(named(d.handle) + " has ghost cells, and an empty block", "", "create it without empty blocks");
  const std::vector<Index> owners = blocks_of(d).owners;
  part.coordinates = unravel(std::find(owners.begin(), owners.end(), d.rank) - owners.begin(), d.grid, d.ndim);
}

void find_block(const Description& d, Index elements, void* data, LocalPart& part) {
  NGA_Distribution64(d.handle, static_cast<int>(d.rank), part.begin.data(), part.extent.data());
  part.placed = part.begin[0] >= 0;
  if (!part.placed) return;
  Index owned = 1;
  for (std::size_t axis = 0; axis < d.ndim; ++axis) {
    part.extent[axis] += 1 - part.begin[axis];  // it was the upper end
    owned *= part.extent[axis];
  }
  const bool ghosts = elements > owned;
  if (owned == 0) return find_empty(d, ghosts, part);
  count_coordinates(d, part);
  if (ghosts) find_widths(d, elements, part);
  part.data = data;
}

void find_tiles(const Description& d, void* data, LocalPart& part) {
  part.placed = d.scheme == BlockScheme::linear || d.rank < d.places();
  if (!part.placed) return;
  part.data = data;
  if (d.scheme == BlockScheme::linear) return;
  int coordinates[most_axes];
  GA_Get_proc_index(d.handle, static_cast<int>(d.rank), coordinates);
  std::copy_n(coordinates, d.ndim, part.coordinates.begin());
}

}  // namespace

LocalPart part_of(const Description& d) {
  void* data = nullptr;
  int64_t elements = 0;
  NGA_Access_block_segment64(d.handle, static_cast<int>(d.rank), &data, &elements);
  if (elements == 0) data = nullptr;
  LocalPart part;
  if (d.scheme == BlockScheme::blocks)
    find_block(d, elements, data, part);
  else
    find_tiles(d, data, part);
  return part;
}

}  // namespace tridap::globalarrays
