#pragma once

#include <tridap/buffer.hpp>

namespace tridap {

/// Copies the elements of a valid host buffer to another one of the same extents and element length, which it does not
/// overlap, whatever the strides of both. Returns the bytes copied.
Index copy_elements(const Buffer& from, const Buffer& to);

}  // namespace tridap
