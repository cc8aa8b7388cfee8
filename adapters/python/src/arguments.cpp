#include "array.hpp"
#include "bindings.hpp"
#include "comm.hpp"
#include "memory.hpp"
#include "text_argument.hpp"

#include <pybind11/numpy.h>

#include <cstdint>
#include <limits>
#include <string>

namespace tridap::python {

namespace {

const char* copy_name(py::handle copy) {
  switch (copy_policy(copy)) {
    case Copy::never:
      return "never";
    case Copy::if_needed:
      return "if_needed";
    default:
      return "always";
  }
}

// A list of integers, such as the ids of elements. It may be the given memory.
py::object ids_in(const std::string& name, const py::object& given) {
  const py::module_ numpy = py::module_::import("numpy");
  const py::array ids = numpy.attr("asarray")(given);
  const auto shown = [&] { return name + " is " + utf8_text(py::module_::import("reprlib").attr("repr")(given)); };
  if (ids.ndim() != 1) throw py::value_error(shown() + ", must have one axis: a list of integers");
  const char kind = ids.dtype().kind();
  if (ids.size() > 0 && kind != 'i' && kind != 'u') throw py::type_error(shown() + ", must be integers");
  if (ids.size() > 0 && kind == 'u') {
    const auto largest = py::cast<std::uint64_t>(ids.attr("max")());
    if (largest > static_cast<std::uint64_t>(std::numeric_limits<Index>::max())) {
      const std::string text = name + " has the id " + std::to_string(largest) + ", must fit a signed 64-bit integer";
      PyErr_SetString(PyExc_OverflowError, text.c_str());
      throw py::error_already_set();
    }
  }
  return numpy.attr("ascontiguousarray")(ids, "int64");
}

// The communicator of a call: `comm`; else that of the first array among the arguments; else this process alone (None,
// which stands for MPI.COMM_SELF and needs no MPI) for distributions over one process; else MPI.COMM_WORLD.
py::object communicator(const py::object& comm, const py::args& given) {
  if (!comm.is_none()) return comm;
  static py::handle ghosted, world;
  bool known = false, alone = true;
  for (const py::handle one : given) {
    const Array* const array = array_behind(one);
    if (array != nullptr && !array->comm().is_none()) return array->comm();
    if (py::isinstance(one, imported(ghosted, "tridap._ghosts", "GhostedArray"))) return one.attr("comm");
    if (array == nullptr && !py::isinstance<Distribution>(one)) continue;
    known = true;
    alone = alone && (array != nullptr ? array->processes() : value_in<Distribution>(one).processes()) == 1;
  }
  if (known && alone) return py::none();
  imported(world, "mpi4py.MPI", "COMM_WORLD");
  need_mpi();
  return py::reinterpret_borrow<py::object>(world);
}

}  // namespace

void bind_arguments(py::module_& module) {
  module.def("_copy", &copy_name);
  module.def("_flag", [](const char* name, const py::object& given) { return flag_of(given, name); });
  module.def("_ids", &ids_in);
  module.def("_communicator", &communicator);
}

}  // namespace tridap::python
