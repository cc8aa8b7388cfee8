#pragma once

#include <pybind11/numpy.h>

#include <string>

/// DLPack's capsules, of both forms: "dltensor" of DLPack 0, "dltensor_versioned" of DLPack 1.
namespace tridap::python {

namespace py = pybind11;

/// A NumPy array over the memory of an object with __dlpack__, which is asked for DLPack 1 and for no copy first, and
/// then as DLPack 0 has it. Read-only where the tensor is. Throws what the object raises, and Error where it gives no
/// tensor in the host's memory, or a copy.
py::array over_tensor(py::handle object, const std::string& type_name);

/// The array API's __dlpack__ of a NumPy array: a capsule over its memory, in DLPack 1's form where `max_version`
/// allows that. Raises BufferError with the reason where there is none, TypeError for a `max_version` that is no pair.
py::object tensor_of(const py::array& array, const py::object& stream, const py::object& max_version,
                     const py::object& device, const py::object& copy);

}  // namespace tridap::python
