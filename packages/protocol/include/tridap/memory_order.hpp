#pragma once

#include <tridap/buffer.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tridap {

/// Where the elements of a buffer stand in memory, and in which order: found from the strides.
///
/// A Fortran-ordered 2 x 3 buffer has `axes {1, 0}` (outermost first); a buffer read backwards has `reversed {true}`
/// and `data` at its lowest address. Any such buffer without holes is dense, whatever the order.
struct MemoryOrder {
  std::vector<Index> axes;     ///< from outermost (largest stride) to innermost
  std::vector<bool> reversed;  ///< by axis: memory runs against the index
  std::byte* data = nullptr;   ///< lowest address of an element; the buffer's own where it has none
  bool is_contiguous = true;   ///< the elements stand in a row without holes, each once
  bool is_unique = true;  ///< every axis steps over all that stands inside it, so that no two elements share memory
  std::string obstacle;   ///< why not dense: "axis 0 has stride 16 bytes for 8-byte elements"
};

/// The memory order of a valid buffer.
MemoryOrder memory_order(const Buffer& buffer);

/// The same elements with the axes put as `order` has them, outermost first and none reversed: walking the result in
/// row-major order is walking `buffer` in `order`.
Buffer in_order(const Buffer& buffer, const MemoryOrder& order);

/// The inverse: a dense piece of memory whose elements stand in `order`, seen as an array of `shape`.
Buffer from_order(void* data, ElementType type, const IndexList& shape, const MemoryOrder& order);

}  // namespace tridap
