#pragma once

#include <tridap/report.hpp>

#include <pybind11/pybind11.h>

namespace tridap::python {

namespace py = pybind11;

/// Raises `tridap.ProtocolError` with the error's text and report; `cause` may be null.
[[noreturn]] void throw_protocol_error(const Error& error, const py::object& cause = {});

/// `tridap.ProtocolError` for every tridap::Error that leaves C++.
void bind_errors(py::module_& module);

}  // namespace tridap::python
