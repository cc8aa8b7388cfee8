#include "axes.hpp"

#include "blocks.hpp"
#include "ga.hpp"
#include "named.hpp"
#include <tridap/kinds.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tridap::globalarrays {

namespace {

// The block of a coordinate, on an axis for which the protocol can have only one block on each coordinate.
Range block_of(const Description& d, std::size_t axis, Index coordinate) {
  if (d.grid[axis] == 1) return {0, d.shape[axis]};
  if (coordinate >= d.blocks[axis]) return {d.shape[axis], d.shape[axis]};
  return tile_of(d, axis, coordinate);
}

// Appends the row-major numbers of the elements of a box, in their order in memory, where they are contiguous.
void append_numbers(const Description& d, const Extents& lo, const Extents& hi, std::vector<Index>& numbers) {
  Extents at = lo;
  for (;;) {
    const Index row = ravel(at, d.shape, d.ndim);
    for (Index k = 0; k <= hi[d.ndim - 1] - lo[d.ndim - 1]; ++k) numbers.push_back(row + k);
    std::size_t axis = d.ndim - 1;
    while (axis > 0 && at[axis - 1] == hi[axis - 1]) {
      --axis;
      at[axis] = lo[axis];
    }
    if (axis == 0) return;
    ++at[axis - 1];
  }
}

std::vector<Index> linear_numbers(const Description& d, Index rank) {
  std::vector<Index> numbers;
  const Index total = GA_Total_blocks(d.handle);
  for (Index block = rank; block < total; block += d.processes()) {
    Extents lo{}, hi{};
    NGA_Distribution64(d.handle, static_cast<int>(block), lo.data(), hi.data());
    append_numbers(d, lo, hi, numbers);
  }
  return numbers;
}

Index elements_of(const Description& d) {
  Index elements = 1;
  for (std::size_t axis = 0; axis < d.ndim; ++axis) elements *= d.shape[axis];
  return elements;
}

}  // namespace

Axis tiled_axis(const Description& d, std::size_t axis) {
  const Tiles tiles = tiles_of(d, axis);
  if (tiles == Tiles::neither)
    refuse(named(d.handle) + " has blocks of several lengths, distributed cyclically along axis " +
               std::to_string(axis) + ", which the protocol cannot describe",
           "", "use blocks of one length, or one block for each process");
  if (tiles == Tiles::cyclic) return Axis(CyclicKind(d.shape[axis], d.grid[axis], d.tile[axis], 0));
  std::vector<Index> bounds;
  for (Index c = 0; c < d.grid[axis]; ++c) bounds.push_back(block_of(d, axis, c).begin);
  bounds.push_back(d.shape[axis]);
  return Axis(BlockKind(std::move(bounds)));
}

Dimension linear_dimension(const Description& d, Index rank, Index& elements) {
  if (d.ndim == 1) {
    const Axis axis = tiled_distribution(d).axis(0);
    elements = axis.count(rank);
    return axis.dimension(rank);
  }
  Dimension made;
  made.size = elements_of(d);
  made.proc_grid_size = d.processes();
  made.proc_grid_rank = rank;
  std::vector<Index> numbers = linear_numbers(d, rank);
  elements = static_cast<Index>(numbers.size());
  made.dist = Unstructured{IndexBuffer(std::move(numbers)), true};
  return made;
}

// Tiles are stored one after the other. If a process has several along an axis, one row of the array passes through all
// of them. They are then a strided array only if the tiles are one element thick on every axis before that one.
void check_strided(const Description& d) {
  if (d.scheme == BlockScheme::grid) return;
  std::size_t last = d.ndim;
  while (last > 0 && d.blocks[last - 1] <= d.grid[last - 1]) --last;
  for (std::size_t axis = 0; axis + 1 < last; ++axis)
    if (d.blocks[axis] < d.shape[axis])
      refuse(named(d.handle) + " is tiled: along axis " + std::to_string(last - 1) +
                 " the memory of a process is a sequence of tiles, which is not a strided array",
             "", "give each process one block there, or use GA_Set_block_cyclic_proc_grid");
}

redistribute::PlacedDistribution placed_blocks(const Description& d, const LocalPart& part,
                                               const ExportOptions& options) {
  Blocks blocks = blocks_of(d);
  std::vector<Axis> axes;
  for (std::size_t axis = 0; axis < d.ndim; ++axis) {
    const std::vector<Index>& bounds = blocks.bounds[axis];
    const Cut cut{d.shape[axis], d.grid[axis], part.width[axis]};
    std::vector<Dimension> all(static_cast<std::size_t>(d.grid[axis]));
    for (std::size_t c = 0; c < all.size(); ++c)
      cut_out(cut, static_cast<Index>(c), {bounds[c], bounds[c + 1]}, options, all[c]);
    axes.emplace_back(all, static_cast<Index>(axis));
  }
  return redistribute::PlacedDistribution(Distribution(std::move(axes)), std::move(blocks.owners));
}

Distribution tiled_distribution(const Description& d) {
  std::vector<Axis> axes;
  if (d.scheme != BlockScheme::linear)
    for (std::size_t axis = 0; axis < d.ndim; ++axis) axes.push_back(tiled_axis(d, axis));
  else if (d.ndim == 1)
    axes.emplace_back(CyclicKind(d.shape[0], d.processes(), d.tile[0], 0));
  else {
    std::vector<std::vector<Index>> lists;
    for (Index rank = 0; rank < d.processes(); ++rank) lists.push_back(linear_numbers(d, rank));
    axes.emplace_back(UnstructuredKind(std::move(lists), true));
  }
  return Distribution(std::move(axes));
}

}  // namespace tridap::globalarrays
