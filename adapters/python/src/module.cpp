#include "bindings.hpp"
#include "component_table.hpp"
#include "errors.hpp"
#include "same_mpi.hpp"
#include "user_call.hpp"
#include <tridap/internal/state.hpp>
#include <tridap/library.hpp>

#include <string>

namespace py = pybind11;

namespace {

const std::string pybind11_version =
    std::to_string(PYBIND11_VERSION_MAJOR) + "." + std::to_string(PYBIND11_VERSION_MINOR);

// NumPy 2 has another layout of its types. Versions of pybind11 before 2.12 do not know it.
void check_numpy() {
  const auto version = py::cast<std::string>(py::module_::import("numpy").attr("__version__"));
  if (PYBIND11_VERSION_HEX >= 0x020C0000 || std::stoi(version) < 2) return;
  throw py::import_error("tridap was compiled with pybind11 " + pybind11_version +
                         ", which misreads the element sizes of NumPy " + version +
                         ": compile it with pybind11 2.12 or later, or take NumPy 1");
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  check_numpy();
  tridap::python::need_the_mpi_of_mpi4py();
  py::options options;
  options.disable_function_signatures();  // the first line of a docstring has a readable signature
  module.doc() = "The compiled part of tridap: use the package, not this.";
  module.attr("__version__") = tridap::library_version();
  module.def("_print_messages",
             [](bool printed) { tridap::set_message_sink(printed ? tridap::print_message : nullptr); });
  module.attr("__pybind11__") = pybind11_version;
  module.attr("__components__") = tridap::python::component_table;
  module.attr("__state__") = py::capsule(&tridap::mpi::state(), "tridap.mpi.state");  // for the other compiled modules
  tridap::python::bind_user_call(module);
  tridap::python::bind_errors(module);
  tridap::python::bind_report(module);
  tridap::python::bind_specs(module);
  tridap::python::bind_distribution(module);
  tridap::python::bind_device(module);
  tridap::python::bind_array(module);
  tridap::python::bind_arguments(module);
  tridap::python::bind_capture(module);
  tridap::python::bind_gather(module);
  tridap::python::bind_ghosts(module);
  tridap::python::bind_redistribution(module);
  tridap::python::bind_solve(module);
  tridap::python::bind_stored_layout(module);
  tridap::python::bind_vocabularies(module);
}
