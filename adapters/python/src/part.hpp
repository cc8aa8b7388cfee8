#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>

#include <pybind11/numpy.h>

namespace tridap::python {

namespace py = pybind11;

/// This process's part of a DistArray of Python, for modules that have no access to the class: its `local`, its
/// `distribution` and its `process`. What keeps the memory is that of C++ which NumPy holds for it, else NumPy's array.
DistArray part_of(const py::array& local, const Distribution& distribution, Index process);

}  // namespace tridap::python
