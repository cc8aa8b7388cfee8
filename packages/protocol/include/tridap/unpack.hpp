#pragma once

#include <tridap/buffer.hpp>

namespace tridap {

/// Copies contiguous elements in row-major order, as pack() stores them, to the elements of a valid writable host
/// buffer, and to nothing between them. Returns the number of bytes copied. `in` and the buffer must not overlap.
Index unpack(const void* in, const Buffer& buffer);

}  // namespace tridap
