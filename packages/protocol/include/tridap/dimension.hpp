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
  IndexBuffer(std::vector<Index> indices);                     // NOLINT: and a plain list, which it then owns
};

/// The indices as 64-bit numbers; nothing where the buffer is no 1-D host buffer of integers that fit, or states more
/// of them than a process can hold.
std::optional<std::vector<Index>> read_indices(const IndexBuffer& indices);

/// `dist_type` 'b': one range of global indices; in 0.10 communication padding is inside it.
struct Block {
  Index start = 0, stop = 0;  ///< global, half-open
  std::optional<std::array<Index, 2>>
      padding;  ///< elements at the lower and upper end; absent differs from (0, 0) in 0.9
};

/// `dist_type` 'c': blocks of `block_size` dealt round-robin.
struct Cyclic {
  Index start = 0;       ///< global index of the first element held here
  Index block_size = 1;  ///< elements
};

/// `dist_type` 'u': any global indices, listed.
struct Unstructured {
  IndexBuffer indices;
  bool one_to_one = false;  ///< a claim that no index stands on two processes; false: unknown
};

/// A key that the protocol does not know, passed on as it came.
struct Extra {
  std::string key;
  std::string value;    ///< JSON text
  bool is_json = true;  ///< false: JSON cannot say the value; `value` only shows it, and processes do not compare it
};

/// One dimension dictionary as stamped: plain data, so it can be wrong. Only a Distribution is known to be right, and
/// is 0.10's.
struct Dimension {
  Index size = 0;                                ///< global extent, elements
  Index proc_grid_size = 1, proc_grid_rank = 0;  ///< processes along this axis; our place among them
  bool periodic = false;
  std::variant<Block, Cyclic, Unstructured> dist;
  std::vector<Extra> extras;  ///< unknown keys, passed on

  char dist_type() const { return "bcu"[dist.index()]; }
};

/// One for each axis.
using DimData = SmallList<Dimension, 3>;

/// The dimension of an axis that is not distributed (0.10's empty dictionary): block over one process, `[0, size)`.
inline Dimension undistributed(Index size) {
  Dimension dimension;
  dimension.size = size;
  dimension.dist = Block{0, size, {}};
  return dimension;
}

}  // namespace tridap
