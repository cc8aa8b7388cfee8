#pragma once

#include <tridap/buffer.hpp>
#include <tridap/index.hpp>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tridap {

/// The global indices of an unstructured axis as the producer holds them: a one-dimensional integer buffer, not copied.
struct IndexBuffer {
  Buffer buffer;

  IndexBuffer() : IndexBuffer(std::vector<Index>{}) {}
  IndexBuffer(Buffer indices) : buffer(std::move(indices)) {}  // NOLINT: the protocol takes any buffer
  IndexBuffer(std::vector<Index> indices);                     // NOLINT: or a plain list, which it then owns
};

/// The indices as 64-bit numbers. Returns nullopt if the buffer is not a one-dimensional host buffer of integers that
/// fit 64 bits, or if its length exceeds what a process can hold.
std::optional<std::vector<Index>> read_indices(const IndexBuffer& indices);

/// `dist_type` 'b': one range of global indices. In 0.10 the range includes communication padding.
struct Block {
  Index start = 0, stop = 0;  ///< global, half-open
  std::optional<std::array<Index, 2>>
      padding;  ///< widths at the lower and upper end, elements; in 0.9 absent is not the same as (0, 0)
};

/// `dist_type` 'c': blocks of `block_size` elements, distributed round-robin.
struct Cyclic {
  Index start = 0;       ///< global index of the first element held here
  Index block_size = 1;  ///< elements
};

/// `dist_type` 'u': a list of any global indices.
struct Unstructured {
  IndexBuffer indices;
  bool one_to_one = false;  ///< true: the producer states that no index is on two processes; false: not known
};

/// A key that the protocol does not define. It is passed on unchanged.
struct Extra {
  std::string key;
  std::string value;    ///< JSON text
  bool is_json = true;  ///< false: not JSON; then `value` only shows the value, and processes do not compare it
};

/// One dimension dictionary as a process exports it. This is plain data, which can be wrong. Only a Distribution is
/// known to be valid; its dimensions are those of version 0.10.
struct Dimension {
  Index size = 0;                                ///< global extent, elements
  Index proc_grid_size = 1, proc_grid_rank = 0;  ///< processes along this axis; this process's coordinate among them
  bool periodic = false;
  std::variant<Block, Cyclic, Unstructured> dist;
  std::vector<Extra> extras;  ///< unknown keys, passed on

  char dist_type() const { return "bcu"[dist.index()]; }
};

/// One for each axis.
using DimData = SmallList<Dimension, 3>;

/// The dimension of an axis that is not distributed (an empty dictionary in 0.10): the block `[0, size)` over one
/// process.
inline Dimension undistributed(Index size) {
  Dimension dimension;
  dimension.size = size;
  dimension.dist = Block{0, size, {}};
  return dimension;
}

}  // namespace tridap
