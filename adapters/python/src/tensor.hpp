#pragma once

#include <tridap/buffer.hpp>
#include <tridap/dlpack.hpp>

#include <pybind11/numpy.h>

#include <optional>
#include <string>

/// DLPack's capsules, of both forms: "dltensor" of DLPack 0, "dltensor_versioned" of DLPack 1.
namespace tridap::python {

namespace py = pybind11;

/// A NumPy array over the memory of an object with __dlpack__. The method is called for DLPack 1 without a copy first,
/// and then as in DLPack 0. The array is read-only if the tensor is. Throws what the object raises, and Error if it
/// gives no tensor in the host's memory, or a copy.
py::array over_tensor(py::handle object, const std::string& type_name);

/// What `__dlpack_device__` of an object says: DLPack's device type, and the number of the device.
struct TensorDevice {
  Index type = 0, id = 0;
};

/// Returns nullopt if the object has no `__dlpack_device__`. Throws what it raises, and Error if it returns no pair.
std::optional<TensorDevice> tensor_device(py::handle object, const std::string& type_name);

/// The tensor of an object in memory of a device, which is asked for so that the legacy default stream may use it.
/// Throws as over_tensor() does.
dlpack::ExportedArray device_tensor(py::handle object, const TensorDevice& device, const std::string& type_name);

/// A buffer as a capsule in DLPack 1's form, or in that of DLPack 0.
py::object capsule_over(Buffer buffer, bool versioned, bool copied);

/// True if `max_version` allows DLPack 1. Throws TypeError if it is not a pair.
bool wants_version_1(const py::object& max_version);

/// The array API's __dlpack__ of a NumPy array: a capsule over its memory, in DLPack 1's form if `max_version`
/// allows that. Raises BufferError with the reason if there is no capsule, and TypeError if `max_version` is not a
/// pair.
py::object tensor_of(const py::array& array, const py::object& stream, const py::object& max_version,
                     const py::object& device, const py::object& copy);

}  // namespace tridap::python
