#pragma once

#include <Teuchos_ParameterList.hpp>
#include <pybind11/pybind11.h>

namespace tridap::python {

/// A plain dict (or None) of flags, integers, floats, texts and dicts as a ParameterList. Throws Error that names the
/// key.
Teuchos::ParameterList parameters(const pybind11::object& dict, const std::string& name);

/// A text of a list; equal lists have equal texts.
std::string described(const Teuchos::ParameterList& list);

}  // namespace tridap::python
