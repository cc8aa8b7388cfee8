#pragma once

#include <tridap/index.hpp>

#include <array>
#include <cstddef>

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

inline constexpr std::size_t most_axes = 7;
using Extents = std::array<Index, most_axes>;  ///< by axis; values beyond the array's axes have no meaning

/// How a Global Array is distributed.
enum class BlockScheme {
  blocks,  ///< one block for each place of a grid, on any process: regular, irregular, restricted
  grid,    ///< blocks of one length, round-robin over each axis of a grid, in one local array, as in ScaLAPACK
  tiles,   ///< the same with blocks of any length, each contiguous in memory; or an array that looks the same
  linear,  ///< blocks in row-major order, round-robin over the processes, each contiguous in memory
};

/// What Global Arrays reports about a handle, the same on every process.
struct Description {
  int handle = 0, group = 0, type = 0;  ///< GA's numbers
  std::size_t ndim = 0;
  BlockScheme scheme = BlockScheme::blocks;
  Extents shape;
  Extents blocks;  ///< number of blocks on each axis
  Extents grid;    ///< number of places on each axis; no meaning if `linear`
  Extents tile;    ///< extents of the first block; not set if `blocks`
  Index rank = 0;  ///< of this process, in the group

  Index places() const;     ///< of the grid
  Index processes() const;  ///< in the array's group
};

/// Asks GA, in constant time. Throws Error if there is no such array, as on a process outside its group, or if GA
/// itself cannot work with the array that it made.
Description describe(int handle);

/// How the protocol describes an axis of tiles.
enum class Tiles { cyclic, block, neither };
/// The answer for an axis of `grid` or `tiles`. For `tiles`, it takes time in proportion to the blocks along the axis.
Tiles tiles_of(const Description& description, std::size_t axis);
/// The global indices of a block of an axis of `tiles`.
Range tile_of(const Description& description, std::size_t axis, Index block);

/// The grid coordinates of the place with a row-major number; and the number of the place with these coordinates.
Extents unravel(Index number, const Extents& grid, std::size_t ndim);
Index ravel(const Extents& coordinates, const Extents& grid, std::size_t ndim);

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
