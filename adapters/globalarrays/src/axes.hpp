#pragma once

#include "local_part.hpp"
#include <tridap/dimension.hpp>
#include <tridap/distribution.hpp>
#include <tridap/globalarrays/export.hpp>

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

/// An axis that is cut into blocks, with ghost cells of one width.
struct Cut {
  Index size = 0, grid = 1, width = 0;
};

/// The index in the exported array minus GA's global index.
inline Index shift_of(const Cut& cut, const ExportOptions& options) {
  return options.ghosts && options.outer ? cut.width : 0;
}
/// Fills the dimension of a coordinate. `owned`: its elements, in GA's global indices.
inline Block& cut_out(const Cut& cut, Index coordinate, Range owned, const ExportOptions& options,
                      Dimension& dimension) {
  const Index width = options.ghosts ? cut.width : 0, shift = shift_of(cut, options);
  dimension.size = cut.size + 2 * shift;
  dimension.proc_grid_size = cut.grid;
  dimension.proc_grid_rank = coordinate;
  dimension.periodic = shift > 0;
  const Index left = coordinate > 0 ? width : shift, right = coordinate < cut.grid - 1 ? width : shift;
  Block& block = std::get<Block>(dimension.dist);
  block.start = owned.begin + shift - left;
  block.stop = owned.end + shift + right;
  if (width > 0) block.padding = {{left, right}};
  return block;
}

/// An axis of `grid` or `tiles`. Throws Error if the protocol has no such axis.
Axis tiled_axis(const Description& description, std::size_t axis);
/// The dimension of a process of a `linear` distribution: cyclic, or the row-major numbers of its elements in their
/// order in memory. `elements` becomes the number of its elements.
Dimension linear_dimension(const Description& description, Index rank, Index& elements);

/// Throws Error if the part of any process is not a strided array.
void check_strided(const Description& description);

/// The distribution of an array whose scheme is `blocks`; the ghost widths are those of this process's part.
redistribute::PlacedDistribution placed_blocks(const Description& description, const LocalPart& part,
                                               const ExportOptions& options);
/// The distribution of an array of any other scheme.
Distribution tiled_distribution(const Description& description);

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
