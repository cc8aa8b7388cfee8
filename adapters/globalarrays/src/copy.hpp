#pragma once

#include <tridap/buffer.hpp>

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

/// Copies the elements of a valid host buffer to another one of the same extents and element type, whatever their
/// strides; returns the bytes copied.
Index copy_elements(const Buffer& from, const Buffer& to);

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
