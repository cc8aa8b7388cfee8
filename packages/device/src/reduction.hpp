#pragma once

#include <tridap/internal/device_reduction.hpp>

#include <cstddef>

#pragma GCC visibility push(hidden)

namespace tridap::device {

/// Computes the reduction on its device, on the legacy stream, and writes the result on the host. Throws Error.
void reduce(const redistribute::DeviceReduction& reduction, std::byte* result);

}  // namespace tridap::device

#pragma GCC visibility pop
