#include "array.hpp"
#include "bindings.hpp"
#include "value.hpp"

#include <dap/value.hpp>

#include <pybind11/stl.h>

namespace dap::python {

namespace {

using namespace py::literals;

py::object or_none(const std::string& text) { return text.empty() ? py::none() : py::object(py::str(text)); }

}  // namespace

void bind_report(py::module_& module) {
  py::class_<Finding>(module, "Finding", py::custom_type_setup(forbid_new))
      .def_property_readonly("rule", [](const Finding& f) { return rule_text(f.rule).id; })
      .def_property_readonly("severity",
                             [](const Finding& f) { return f.severity() == Severity::error ? "error" : "warning"; })
      .def_readonly("process", &Finding::process)
      .def_readonly("axis", &Finding::axis)
      .def_property_readonly("key", [](const Finding& f) { return or_none(f.key); })
      .def_property_readonly("value", [](const Finding& f) { return or_none(f.value); })
      .def_property_readonly("must", [](const Finding& f) { return or_none(f.must); })
      .def_property_readonly("remedy",
                             [](const Finding& f) { return f.remedy.empty() ? rule_text(f.rule).remedy : f.remedy; })
      .def("__str__", &Finding::text)
      .def("__repr__", [](const Finding& f) { return "<tridap.Finding: " + f.text() + ">"; });

  py::class_<Checked>(module, "Report", py::custom_type_setup(forbid_new))
      .def_property_readonly("ok", [](const Checked& c) { return c.report.ok(); })
      .def_property_readonly("errors", [](const Checked& c) { return c.report.errors(); })
      .def_property_readonly("warnings", [](const Checked& c) { return c.report.warnings(); })
      .def_property_readonly("findings", [](const Checked& c) { return py::tuple(py::cast(c.report.findings())); })
      .def_property_readonly("counts",
                             [](const Checked& c) {
                               py::dict counts;
                               for (const auto& [rule, count] : c.report.counts()) counts[rule_text(rule).id] = count;
                               return counts;
                             })
      .def_property_readonly("distribution",
                             [](const Checked& c) -> py::object {
                               return c.distribution ? py::cast(*c.distribution) : py::none();
                             })
      .def("json", [](const Checked& c) { return c.report.json(); })
      .def("__str__", [](const Checked& c) { return c.report.findings().empty() ? "ok" : c.report.text(); })
      .def("__repr__", [](const Checked& c) {
        return "<tridap.Report: " + std::to_string(c.report.errors()) + " errors, " +
               std::to_string(c.report.warnings()) + " warnings>";
      });

  py::class_<Receipt>(module, "Receipt", py::custom_type_setup(forbid_new))
      .def_readonly("shared", &Receipt::shared)
      .def_readonly("same_address", &Receipt::same_address)
      .def_readonly("bytes_copied", &Receipt::bytes_copied)
      .def_property_readonly("losses", [](const Receipt& r) { return py::tuple(py::cast(r.losses)); })
      .def_readonly("seconds", &Receipt::seconds)
      .def("__str__", &Receipt::text)
      .def("__repr__", [](const Receipt& r) { return "<tridap.Receipt: " + r.text() + ">"; });
  module.def("_check", &check_object, "obj"_a, "comm"_a, "raise_on_error"_a, "trust_extent"_a);
}

}  // namespace dap::python
