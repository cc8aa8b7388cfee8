#pragma once

#include <tridap/report.hpp>

#include <pybind11/pybind11.h>

namespace tridap::python {

namespace py = pybind11;

/// Raises `tridap.ProtocolError` with the error's text and report; `cause` may be null.
[[noreturn]] void throw_protocol_error(const Error& error, const py::object& cause = {});

/// Turns every tridap::Error that leaves C++ into `tridap.ProtocolError`.
void bind_errors(py::module_& module);

}  // namespace tridap::python
