#pragma once

#include <tridap/index.hpp>

namespace tridap {

/// How many of `size` elements, dealt in blocks of `block_size` over `grid` coordinates, come to the one whose turn is
/// `turn`. The partial block goes to whoever's turn comes after the last full one [cyclic.count].
inline Index cyclic_count(Index size, Index grid, Index block_size, Index turn) {
  const Index blocks = size / block_size, rest = size % block_size;
  const Index full = blocks > turn ? (blocks - 1 - turn) / grid + 1 : 0;
  return full * block_size + (blocks % grid == turn ? rest : 0);
}

}  // namespace tridap
