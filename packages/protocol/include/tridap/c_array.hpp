#pragma once

#include <tridap/dap.h>
#include <tridap/dist_array.hpp>
#include <tridap/report.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace tridap {

struct ReleaseCArray {
  void operator()(dap_array* array) const { dap_array_release(array); }
};

/// Owns an array of tridap/dap.h. `release()` gives up the ownership, `CArray(pointer)` takes it.
using CArray = std::unique_ptr<dap_array, ReleaseCArray>;

/// Gives an array to C without copying. The memory of the buffer and of all indices is shared, and kept alive until
/// `deleter` is called. Any thread that may release the owners of that memory may call `deleter`. `copied` sets
/// DAP_FLAG_COPIED. A buffer or indices without an owner must outlive the result. Throws Error, with every violation,
/// if tridap/dap.h cannot describe `array`: a device id of more than 32 bits, an element type without a format,
/// different numbers of extents and strides, a list of indices that is not one-dimensional, a count or text over the
/// limits. The rules of the protocol are not checked here: call check().
CArray to_c(DistArray array, bool copied = false);

/// Takes an array from C without copying. The result shares its memory: the buffer and the indices own the C object
/// together. Its `deleter` is called once, when the last of them is released, or before this function throws. Throws
/// Error, with every violation, if the object breaks a rule of tridap/dap.h or cannot be represented: an unknown major,
/// an unknown device type. The legacy default stream is ordered behind a stream or an event of CUDA or HIP, so that it
/// may use the memory at once, and managed memory is waited for; if the process has no such driver, or for SYCL, they
/// are an error (wait, then set them to NULL). The device id of pinned
/// host memory is not kept. 'n' of protocol 0.9 becomes the block `[0, size)` over one process. DAP_FLAG_COPIED is not
/// kept: read it before the call. The memory of an accepted array is safe to read, but the rules of the protocol are
/// not checked here: call check().
DistArray from_c(CArray array);

/// The device type of a kind of memory in tridap/dap.h and DLPack.
std::int32_t device_type(Memory::Kind kind);

/// The memory that a device type and a device id mean. Returns nullopt if Memory has no such kind, if the id is
/// negative, or if it is not 0 for the host.
std::optional<Memory> memory_of(std::int32_t device_type, std::int32_t device_id);

}  // namespace tridap
