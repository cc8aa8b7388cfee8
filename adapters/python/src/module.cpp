#include "bindings.hpp"
#include "errors.hpp"

namespace py = pybind11;

PYBIND11_MODULE(_core, module) {
  py::options options;
  options.disable_function_signatures();  // the first line of a docstring has one that people can read
  module.doc() = "The compiled part of tridap: use the package, not this.";
  module.attr("__version__") = TRIDAP_VERSION;
  dap::python::bind_errors(module);
  dap::python::bind_report(module);
  dap::python::bind_distribution(module);
  dap::python::bind_array(module);
  dap::python::bind_solve(module);
}
