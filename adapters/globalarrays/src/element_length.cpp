#include "element_length.hpp"

#include "blocks.hpp"
#include "description.hpp"
#include "ga.hpp"

#include <algorithm>
#include <optional>

namespace tridap::globalarrays {

namespace {

// The bytes of one element, if `elements` of them are between two addresses.
Index apart(const void* begin, const void* end, Index elements) {
  return (static_cast<const char*>(end) - static_cast<const char*>(begin)) / elements;
}

void* address_of(const Description& d, const Extents& global) {
  Extents lo = global, hi = global, ld{};
  void* data = nullptr;
  NGA_Access64(d.handle, lo.data(), hi.data(), &data, ld.data());
  return data;
}

void* address_of_block(const Description& d, Index block) {
  Extents ld{};
  void* data = nullptr;
  NGA_Access_block64(d.handle, block, &data, ld.data());
  return data;
}

Index length_in_block(const Description& d, const LocalPart& part, const Extents& strides) {
  const void* const first = address_of(d, part.begin);
  Index before = 0;  // ghost cells
  for (std::size_t axis = 0; axis < d.ndim; ++axis) {
    before += part.width[axis] * strides[axis];
    if (part.extent[axis] < 2) continue;
    Extents next = part.begin;
    ++next[axis];
    return apart(first, address_of(d, next), strides[axis]);
  }
  return before > 0 ? apart(part.data, first, before) : 0;
}

// Of a coordinate's tiles along an axis: the first one with elements before it, and the number of these elements. 0:
// the tiles have no elements.
struct Second {
  std::optional<Index> tile;
  Index before = 0;
};

Second second_tile(const Description& d, std::size_t axis, Index coordinate) {
  Second found;
  for (Index tile = coordinate; tile < d.blocks[axis] && !found.tile; tile += d.grid[axis]) {
    if (found.before > 0)
      found.tile = tile;
    else
      found.before = tile_of(d, axis, tile).size();
  }
  return found;
}

Index length_in_tiles(const Description& d, const LocalPart& part, const Extents& strides) {
  for (std::size_t axis = 0; axis < d.ndim; ++axis) {
    const Second second = second_tile(d, axis, part.coordinates[axis]);
    if (!second.tile) continue;
    Extents there = part.coordinates;
    there[axis] = *second.tile;
    return apart(part.data, address_of_block(d, ravel(there, d.blocks, d.ndim)), second.before * strides[axis]);
  }
  return 0;
}

// Whether every coordinate has elements on every axis, and there is an axis on which every coordinate has several tiles
// of them.
bool tiles_tell_length(const Description& d) {
  bool tell = false;
  for (std::size_t axis = 0; axis < d.ndim; ++axis) {
    bool all = true;
    for (Index c = 0; c < d.grid[axis]; ++c) {
      const Second second = second_tile(d, axis, c);
      if (second.before == 0) return false;
      all = all && second.tile;
    }
    tell = tell || all;
  }
  return tell;
}

Index length_in_linear(const Description& d, const LocalPart& part) {
  if (d.rank + d.processes() >= GA_Total_blocks(d.handle)) return 0;
  Extents lo{}, hi{};
  NGA_Distribution64(d.handle, static_cast<int>(d.rank), lo.data(), hi.data());
  Index elements = 1;
  for (std::size_t axis = 0; axis < d.ndim; ++axis) elements *= hi[axis] - lo[axis] + 1;
  return apart(part.data, address_of_block(d, d.rank + d.processes()), elements);
}

}  // namespace

Index element_length(const Description& d, const LocalPart& part, const Extents& stored) {
  if (part.data == nullptr) return 0;
  if (d.scheme == BlockScheme::linear) return length_in_linear(d, part);
  Extents strides{};
  Index stride = 1;
  for (std::size_t axis = d.ndim; axis-- > 0; stride *= stored[axis]) strides[axis] = stride;
  return d.scheme == BlockScheme::blocks ? length_in_block(d, part, strides) : length_in_tiles(d, part, strides);
}

bool tells_length(const Description& d, const LocalPart& part) {
  if (d.scheme == BlockScheme::linear) return GA_Total_blocks(d.handle) >= 2 * d.processes();
  if (d.scheme != BlockScheme::blocks) return tiles_tell_length(d);
  Index least = 1;  // elements of a block
  for (const std::vector<Index>& bounds : blocks_of(d).bounds) {
    Index shortest = bounds[1] - bounds[0];
    for (std::size_t block = 1; block + 1 < bounds.size(); ++block)
      shortest = std::min(shortest, bounds[block + 1] - bounds[block]);
    least *= shortest;
  }
  return least > 1 || part.has_ghosts();
}

}  // namespace tridap::globalarrays
