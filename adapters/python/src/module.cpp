#include "bindings.hpp"
#include "errors.hpp"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled part of tridap: use the package, not this.";
  module.attr("__version__") = TRIDAP_VERSION;
  dap::python::bind_errors(module);
  dap::python::bind_report(module);
  dap::python::bind_distribution(module);
  dap::python::bind_array(module);
  dap::python::bind_solve(module);
}
