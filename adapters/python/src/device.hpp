#pragma once

#include "memory.hpp"
#include <tridap/buffer.hpp>
#include <tridap/device_stream.hpp>

#include <optional>
#include <string>

/// Arrays in memory of a GPU: the objects of CuPy, PyTorch, JAX and Numba that have it, and what Python gets for
/// `x.local`, which NumPy must never read.
namespace tridap::python {

/// `x.local` of an array in device memory: an object with the protocols of GPU libraries, over the same memory.
class DevicePart {
 public:
  explicit DevicePart(Buffer buffer) : buffer_(std::move(buffer)) {}
  const Buffer& buffer() const { return buffer_; }
  py::dtype dtype() const { return numpy_type(buffer_.type); }

 private:
  Buffer buffer_;
};

/// The DevicePart that an object is. Null if it is none.
const DevicePart* device_part_behind(py::handle object);

/// True if the memory is of a device, so that the host must not read it.
bool is_on_device(const Memory& memory);

/// The name of a memory's device in Python: "cpu", "cuda:0".
std::string device_name(const Memory& memory);
/// The memory that a name means. Throws ValueError for another name.
Memory device_named(const std::string& name);

/// Why this call of NumPy or of ours cannot be made with memory of a device, and what to call.
std::string why_not_on_device(const Memory& memory);

/// Throws Error, which names x.to("cpu"), if the memory is of a device.
void refuse_on_device(const Memory& memory);

/// A NumPy array over an object's memory, or a DevicePart if it is of a device. The work that the producer has on its
/// own streams is ordered before the legacy default stream; managed memory is waited for, and becomes the host's.
/// Throws Error, or what the object raises.
py::object part_over(py::handle object, Copy copy, Receipt& receipt);
/// The same without a copy.
py::object part_over(py::handle object);

/// A DevicePart over an object's memory; None if that is not of a device. Throws as part_over().
py::object device_part_over(py::handle object);

/// The memory of a NumPy array or a DevicePart, which it keeps alive.
Buffer buffer_of_part(py::handle part);
/// The part over a buffer's memory, which it keeps alive.
py::object part_of(Buffer buffer);
/// A part over the same memory that must not be written: NumPy refuses to, and for memory of a device its protocols
/// and our calls say so.
py::object read_only_part(py::handle part);

/// The addresses of a part's elements, as a NumPy array. Of memory of a device, only views may be made of it: nothing
/// may read its elements. A NumPy array is its own.
py::array addresses_of(py::handle part);
/// The part over the elements of a view of addresses_of(part).
py::object part_at(const py::array& view, py::handle part);

/// Lets what TriDAP does later with a device wait for the work on `stream`, as DLPack numbers it; None: the legacy
/// default stream. Throws BufferError for another stream.
void order_after_stream(const Memory& memory, const py::object& stream);

/// The elements of a buffer in other memory, as a part of their own. If the buffer is on a device, the copy waits for
/// the work on `stream`, as DLPack numbers it.
py::object copied_to(const Buffer& buffer, const Memory& memory, const py::object& stream);

/// `__dlpack__` of device memory: the stream that the consumer gives waits for the legacy default stream.
py::object device_tensor_of(const Buffer& buffer, const py::object& stream, const py::object& max_version,
                            const py::object& device, const py::object& copy);
/// `__dlpack_device__`.
py::tuple tensor_device_of(const Buffer& buffer);

/// The stream of a Python argument: None, or its number in DLPack. Raises TypeError.
DeviceStream device_stream(const py::object& given);

}  // namespace tridap::python
