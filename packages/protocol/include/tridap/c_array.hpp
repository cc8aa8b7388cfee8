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

/// An array of tridap/dap.h and the duty to release it: `release()` hands both over, `CArray(pointer)` takes them.
using CArray = std::unique_ptr<dap_array, ReleaseCArray>;

/// Hands an array to C without copying: the same memory, kept alive with that of all indices until `deleter`, which may
/// be called from any thread that may let go of their owners. `copied` sets DAP_FLAG_COPIED. A buffer or indices
/// without an owner must outlive the result. Throws Error, with every violation, where tridap/dap.h cannot say what
/// `array` is: a device id over 32 bits, an element type without a format, an unlike number of extents and strides, a
/// list of indices that is not one-dimensional, a count or text over the limits. The rules of the protocol are left to
/// check().
CArray to_c(DistArray array, bool copied = false);

/// Takes an array from C without copying: the same memory, in which buffer and indices keep the C object; its `deleter`
/// is called once, by whoever lets go of the last of them, or before this throws. Throws Error, with every violation by
/// name, where the object is not what tridap/dap.h says, or cannot be held: an unknown major, a stream or an event
/// (wait, then set it to NULL), an unknown device type. Pinned host memory becomes host memory, 'n' of protocol 0.9 the
/// block
/// `[0, size)` over one process; DAP_FLAG_COPIED is for the caller to read before. What was not refused here is safe to
/// touch, and still to be checked with check().
DistArray from_c(CArray array);

/// The number that tridap/dap.h and DLPack have for a kind of memory.
std::int32_t device_type(Memory::Kind kind);

/// The memory behind such numbers; nothing where Memory does not know it, or the id is negative, or is not 0 for host.
std::optional<Memory> memory_of(std::int32_t device_type, std::int32_t device_id);

}  // namespace tridap
