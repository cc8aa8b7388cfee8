#pragma once

#include <pybind11/pybind11.h>

namespace tridap::python {

namespace py = pybind11;

/// Folds what all processes have, with the record that a call begins with. `step` does not communicate. It returns four
/// objects: this process's value (a NumPy array of one element, of at most 32 bytes, of one type on all processes); its
/// number; a text that must be the same on every process; and the name of a Fold. Returns the value, a NumPy array of
/// one element, and the number. `comm` None is one process.
///
/// **Collective**: one reduction. What a step raises on one process is raised on all.
py::object reduced(const py::object& comm, const py::object& step);

}  // namespace tridap::python
