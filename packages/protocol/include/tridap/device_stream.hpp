#pragma once

#include <tridap/index.hpp>

#include <cstdint>
#include <optional>

namespace tridap {

/// A stream of a device, in which work is ordered, by its number in DLPack. Absent: the default stream, which waits for
/// all blocking streams; name a non-blocking stream. A call ignores it for an array in memory of the host.
///
/// | number | CUDA | ROCm |
/// |---|---|---|
/// | -1 | no order, at the caller's own risk | the same |
/// | 0 | refused | the default stream |
/// | 1 | the legacy default stream | refused |
/// | 2 | the default stream of the thread | refused |
/// | larger | the address of a stream, a `cudaStream_t` | a `hipStream_t` |
struct DeviceStream {
  DeviceStream() = default;
  DeviceStream(Index of_dlpack) : number(of_dlpack) {}
  /// A `cudaStream_t` or `hipStream_t`.
  template <class T>
  DeviceStream(T* handle) : number(static_cast<Index>(reinterpret_cast<std::intptr_t>(handle))) {}

  std::optional<Index> number;
};

}  // namespace tridap
