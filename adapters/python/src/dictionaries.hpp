#pragma once

#include "memory.hpp"
#include <tridap/read.hpp>

#include <optional>

/// The dictionaries that Python's objects say themselves in: read, and written.
namespace tridap::python {

/// What an object said of itself, right or wrong: its report tells.
struct Given {
  ReadArray read;
  py::object local = py::none();  ///< the NumPy array over its buffer
  py::dict extras;                ///< keys of its dictionary that the protocol does not know
  py::list axis_extras;           ///< those of its dimension dictionaries: one dictionary for each
  Receipt receipt;
  bool comparable = false;                      ///< all that the rules between processes need could be read
  std::optional<py::error_already_set> raised;  ///< by the object, while it was asked
};

/// Asks an object with `__distarray__`, or takes the dictionary itself; `copy` is what copy_policy() takes. Throws for
/// no object: what goes wrong here is for all processes to hear. Where memory ends, the report may be empty; then the
/// object is not comparable.
Given ask(py::handle object, py::handle copy);

/// The dictionary of a dimension, as to_value() has it, without a Value between: this is asked for often.
py::dict dictionary(const Dimension& dimension);

/// The same without the keys that the protocol does not know.
py::dict plain_dictionary(const Dimension& dimension);

}  // namespace tridap::python
