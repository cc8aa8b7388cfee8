#pragma once

#include <pybind11/pybind11.h>

namespace tridap::python {

namespace py = pybind11;

class Array;

/// A method of DistArray that a function of this package in Python implements; it gets the array as first argument.
struct PythonMethod {
  const char *name, *module;
  const char* text = "";
  const char* function = nullptr;  ///< null: it has the same name
};

/// Defines it. It raises TypeError for an object that is not a DistArray.
void define(py::class_<Array>& type, const PythonMethod& method);

/// Throws TypeError for an object that is not a DistArray.
void need_array(py::handle self);

/// The attribute `name` of a module.
inline py::object function_of(const char* module, const char* name) { return py::module_::import(module).attr(name); }

}  // namespace tridap::python
