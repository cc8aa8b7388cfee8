#pragma once

#include <tridap/index.hpp>

#include <pybind11/pybind11.h>

namespace tridap::python {

namespace py = pybind11;

/// What all processes contribute to a reduction. `step` does not communicate. It returns three objects: this process's
/// partial result (a NumPy array of one element, of at most 32 bytes, of one type on all processes); the number of
/// elements behind this result; and an object that must have the same repr on every process. Returns the partial
/// results and the numbers, two NumPy arrays by rank. `comm` None is one process.
///
/// **Collective**: one exchange for up to `at_once` processes, at most 256, and an exchange and a reduction for more.
/// What a step raises on one process is raised on all.
py::object partials(const py::object& comm, const py::object& step, Index at_once);

}  // namespace tridap::python
