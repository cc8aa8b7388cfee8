#pragma once

#include <pybind11/numpy.h>

#include <string>

namespace tridap::python {

namespace py = pybind11;

/// The result of kernels, an array without axes, of the elements of one DevicePart or of the products of two. `kept`:
/// by axis, the indices that count, or None. At least one element must count. `stream`: what the kernels wait for, as
/// in `__dlpack__`. Local. Throws Error where there are no such kernels, and BufferError for another stream.
py::array reduced_on_device(const std::string& kernel, const py::tuple& parts, const py::tuple& kept,
                            const py::dtype& dtype, const py::object& stream);

}  // namespace tridap::python
