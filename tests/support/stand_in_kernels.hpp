#pragma once

#include <functional>

/// The kernels of packages/device, compiled for the host.
namespace stand_in {

/// The kernel of this name; null: there is none.
void* kernel(const char* name);
/// Its run with these arguments, which are copied, as a launch copies them.
std::function<void()> with_arguments(void* kernel, void** arguments, unsigned blocks, unsigned threads);

}  // namespace stand_in
