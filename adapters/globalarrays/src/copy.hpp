#pragma once

#include <dap/buffer.hpp>

namespace dap::globalarrays {

/// Copies the elements of a valid host buffer to another one of the same extents and element type, whatever their
/// strides; returns the bytes copied.
Index copy_elements(const Buffer& from, const Buffer& to);

}  // namespace dap::globalarrays
