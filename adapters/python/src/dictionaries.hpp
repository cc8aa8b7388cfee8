#pragma once

#include "memory.hpp"
#include <tridap/read.hpp>

#include <optional>

/// Reads and writes the dictionaries with which Python objects describe themselves.
namespace tridap::python {

/// What an object stated about itself. It may be wrong: then the report states what is wrong.
struct Given {
  ReadArray read;
  py::object local = py::none();  ///< the NumPy array over its buffer
  py::object array = py::none();  ///< the DistArray that has this memory already, if there is one
  py::dict extras;                ///< keys of its dictionary that the protocol does not know
  py::list axis_extras;           ///< those of its dimension dictionaries: one dictionary for each
  Receipt receipt;
  bool comparable = false;                      ///< all data that the rules between processes need could be read
  std::optional<py::error_already_set> raised;  ///< by the object, while it was read
};

/// Calls `__distarray__` of an object, or takes the dictionary itself; `copy` is what copy_policy() takes. No object
/// makes it throw, because all processes must receive the faults that are found here. If memory runs out, the report
/// may be empty; then the object is not comparable.
Given ask(py::handle object, py::handle copy);

/// The dictionary that an object is, or that its `__distarray__` returns; null with a finding in `report` if there is
/// none. Throws what `__distarray__` raises.
py::object dictionary_of(py::handle object, Report& report);

/// The dictionary of a dimension, as to_value() makes it, but without a Value in between, because it is called often.
py::dict dictionary(const Dimension& dimension);

/// The same without the keys that the protocol does not know.
py::dict plain_dictionary(const Dimension& dimension);

}  // namespace tridap::python
