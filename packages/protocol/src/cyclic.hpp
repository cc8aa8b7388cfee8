#pragma once

#include <tridap/index.hpp>

#pragma GCC visibility push(hidden)

namespace tridap {

/// The number of elements on one coordinate if `size` elements are distributed round-robin in blocks of `block_size`
/// over `grid` coordinates. `turn` is the position of the coordinate in the round-robin order. The incomplete block
/// follows the last full one [cyclic.count].
inline Index cyclic_count(Index size, Index grid, Index block_size, Index turn) {
  const Index blocks = size / block_size, rest = size % block_size;
  const Index full = blocks > turn ? (blocks - 1 - turn) / grid + 1 : 0;
  return full * block_size + (blocks % grid == turn ? rest : 0);
}

}  // namespace tridap

#pragma GCC visibility pop
