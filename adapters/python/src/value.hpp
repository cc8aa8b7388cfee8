#pragma once

#include <tridap/value.hpp>

#include <pybind11/pybind11.h>

namespace tridap::python {

namespace py = pybind11;

/// Converts a producer's object to a Value: Python's and NumPy's integers and flags, texts, lists, tuples, mappings,
/// and buffers of integers without a copy. Any other object becomes an OtherValue that shows it. An object that raises
/// becomes an OtherValue that states this. Throws only std::bad_alloc, and what is not an Exception (Ctrl-C).
Value to_value(py::handle object);

/// A Value as a Python object: bool, int, float, str, list, dict; None for anything else, such as a buffer.
py::object to_object(const Value& value);

}  // namespace tridap::python
