#pragma once

#include <pybind11/numpy.h>

#include <string>

/// DLPack's capsules, of both forms: "dltensor" of DLPack 0, "dltensor_versioned" of DLPack 1.
namespace tridap::python {

namespace py = pybind11;

/// A NumPy array over the memory of an object with __dlpack__. The method is called for DLPack 1 without a copy first,
/// and then as in DLPack 0. The array is read-only if the tensor is. Throws what the object raises, and Error if it
/// gives no tensor in the host's memory, or a copy.
py::array over_tensor(py::handle object, const std::string& type_name);

/// The array API's __dlpack__ of a NumPy array: a capsule over its memory, in DLPack 1's form if `max_version`
/// allows that. Raises BufferError with the reason if there is no capsule, and TypeError if `max_version` is not a
/// pair.
py::object tensor_of(const py::array& array, const py::object& stream, const py::object& max_version,
                     const py::object& device, const py::object& copy);

}  // namespace tridap::python
