#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>

#include <pybind11/numpy.h>

namespace tridap::python {

namespace py = pybind11;

/// The memory of an array. What keeps it is the owner of C++ which NumPy holds for it, else NumPy's array.
Buffer buffer_with_its_owner(const py::array& local);

/// This process's part of a DistArray of Python, for modules that have no access to the class: its `local`, its
/// `distribution` and its `process`. Its memory is kept as by buffer_with_its_owner().
DistArray part_of(const py::array& local, const Distribution& distribution, Index process);

}  // namespace tridap::python
