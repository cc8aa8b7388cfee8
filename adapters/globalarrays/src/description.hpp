#pragma once

#include <tridap/index.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace tridap::globalarrays {

inline constexpr std::size_t most_axes = 7;
using Extents = std::array<Index, most_axes>;  ///< by axis; those that an array has not say nothing

/// How a Global Array is dealt.
enum class BlockScheme {
  blocks,  ///< one block for each place of a grid, that of any process: regular, irregular, restricted
  grid,    ///< blocks of one length round-robin over each axis of a grid, in one local array: ScaLAPACK's
  tiles,   ///< the same, of any lengths, each block in a row in memory; or one that looks alike
  linear,  ///< blocks in row-major order round-robin over the processes, each in a row in memory
};

/// What Global Arrays says of a handle, the same on every process.
struct Description {
  int handle = 0, group = 0, type = 0;  ///< GA's numbers
  std::size_t ndim = 0;
  BlockScheme scheme = BlockScheme::blocks;
  Extents shape;
  Extents blocks;  ///< how many there are on an axis
  Extents grid;    ///< places on an axis; of linear dealing nothing
  Extents tile;    ///< the first block's extents; not of `blocks`
  Index rank = 0;  ///< this process's own, in the group

  Index places() const;     ///< of the grid
  Index processes() const;  ///< in its group
};

/// Asks GA, in time that depends on nothing. Throws Error where there is no such array, as outside its group, or GA
/// itself cannot work with what it made.
Description describe(int handle);

/// This process's part of a Global Array.
struct LocalPart {
  bool placed = false;    ///< it holds a place of the grid; else the rest says nothing
  Extents coordinates;    ///< of the place
  Extents begin, extent;  ///< owned elements: of `blocks`, the first global index, and how many
  Extents width{};        ///< ghost cells on either side of these
  void* data = nullptr;   ///< where it begins in memory, ghost cells included; null: it holds nothing

  bool has_ghosts() const {
    return std::any_of(width.begin(), width.end(), [](Index wide) { return wide > 0; });
  }
};

/// Throws Error where the part's ghost cells cannot be found out. Not for linear dealing.
LocalPart part_of(const Description& description);

/// An axis of tiles, as the protocol has it.
enum class Tiles { cyclic, block, neither };
/// What they are on an axis of `grid` or `tiles`. Of `tiles`, in time in proportion to the blocks along the axis.
Tiles tiles_of(const Description& description, std::size_t axis);
/// The global indices of a block of an axis of `tiles`.
Range tile_of(const Description& description, std::size_t axis, Index block);

/// Its grid coordinates, of a place's row-major number; and the number.
Extents unravel(Index number, const Extents& grid, std::size_t ndim);
Index ravel(const Extents& coordinates, const Extents& grid, std::size_t ndim);

}  // namespace tridap::globalarrays
