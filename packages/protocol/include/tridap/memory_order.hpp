#pragma once

#include <tridap/buffer.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tridap {

/// The order of a buffer's elements in memory, found from the strides.
///
/// A Fortran-ordered 2 x 3 buffer has `axes {1, 0}` (outermost first). A buffer with a negative stride has
/// `reversed {true}`, and `data` is its lowest address. A buffer without holes is contiguous in any of these orders.
struct MemoryOrder {
  std::vector<Index> axes;     ///< from outermost (largest stride) to innermost
  std::vector<bool> reversed;  ///< by axis: the stride is negative
  std::byte* data = nullptr;   ///< lowest address of an element; the buffer's `data` if it has none
  bool is_contiguous = true;   ///< no holes and no shared memory between elements
  bool is_unique = true;       ///< no two elements share memory: every axis steps over all axes inside it
  std::string obstacle;        ///< why it is not contiguous: "axis 0 has stride 16 bytes for 8-byte elements"
};

/// The order of contiguous row-major memory with `ndim` axes. Its `data` is null.
MemoryOrder row_major_order(Index ndim);

/// The memory order of a valid buffer.
MemoryOrder memory_order(const Buffer& buffer);

/// The same elements with the axes in the order of `order.axes` and no axis reversed. The row-major order of the result
/// is the order `order` of `buffer`.
Buffer in_order(const Buffer& buffer, const MemoryOrder& order);

/// The inverse: contiguous memory with its elements in `order`, as a buffer of extents `shape`.
Buffer from_order(void* data, ElementType type, const IndexList& shape, const MemoryOrder& order);

}  // namespace tridap
