#pragma once

#include <tridap/distribution.hpp>

#include <pybind11/pybind11.h>

namespace tridap::python {

namespace py = pybind11;

/// A Distribution as tuples of numbers and NumPy arrays, which pickle; one tuple for each axis. Its size does not
/// depend on the shape; it is proportional to the process grid if shares are irregular or padded, and to the lists of
/// unstructured axes.
py::tuple state_of(const Distribution& distribution);

/// The Distribution that state_of() describes. Throws Error if the state breaks a rule, and TypeError or ValueError if
/// it is no such state.
Distribution from_state(const py::tuple& state);

/// A number that is the same for equal distributions. It is computed from the owners of a few elements.
Index hash_of(const Distribution& distribution);

}  // namespace tridap::python
