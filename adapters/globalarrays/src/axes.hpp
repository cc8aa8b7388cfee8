#pragma once

#include "description.hpp"
#include <tridap/dimension.hpp>
#include <tridap/distribution.hpp>
#include <tridap/globalarrays/export.hpp>

namespace tridap::globalarrays {

/// An axis that is cut into blocks, with ghost cells of one width.
struct Cut {
  Index size = 0, grid = 1, width = 0;
};

/// What GA's global index becomes more in the exported array.
inline Index shift_of(const Cut& cut, const ExportOptions& options) {
  return options.ghosts && options.outer ? cut.width : 0;
}
/// Fills the dimension of a coordinate that owns these of GA's global indices.
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

/// That of a coordinate of an axis of `grid` or `tiles`, and how many elements it owns. Throws Error where the protocol
/// has none.
Dimension tiled_dimension(const Description& description, std::size_t axis, Index coordinate, Index& extent);
/// That of a process of `linear` dealing: cyclic, or the row-major numbers of its elements as they stand in memory; and
/// how many there are.
Dimension linear_dimension(const Description& description, Index rank, Index& elements);

/// Throws Error where the part of any process is no strided array.
void check_strided(const Description& description);

/// Of `blocks`; the widths are those of this process's part.
redistribute::PlacedDistribution placed_blocks(const Description& description, const LocalPart& part,
                                               const ExportOptions& options);
/// Of all else.
Distribution tiled_distribution(const Description& description);

}  // namespace tridap::globalarrays
