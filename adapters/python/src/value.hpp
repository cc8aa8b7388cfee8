#pragma once

#include <tridap/value.hpp>

#include <pybind11/pybind11.h>

namespace tridap::python {

namespace py = pybind11;

/// What a producer's object says, as a Value: Python's and NumPy's integers and flags, texts, lists, tuples, mappings,
/// and buffers of integers without a copy. What is none of these becomes an OtherValue that shows it; an object that
/// raises becomes one that says so. Throws for no object but std::bad_alloc and what is no Exception (Ctrl-C).
Value to_value(py::handle object);

/// A Value as Python's own: None, bool, int, float, str, list, dict, NumPy int64 for a buffer of integers.
py::object to_object(const Value& value);

}  // namespace tridap::python
