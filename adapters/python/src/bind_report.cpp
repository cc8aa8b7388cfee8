#include "array.hpp"
#include "bindings.hpp"
#include "text_argument.hpp"
#include "value.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/value.hpp>

#include <pybind11/stl.h>

namespace tridap::python {

namespace {

using namespace py::literals;

py::object or_none(const std::string& text) { return text.empty() ? py::none() : py::object(py::str(text)); }

void bind_finding(py::module_& module) {
  py::class_<Finding>(module, "Finding", py::custom_type_setup(forbid_new),
                      "One violation of a rule: the fault, the value, the rule, the remedy. str() is its line.")
      .def_property_readonly(
          "rule", [](const Finding& f) { return rule_text(f.rule).id; }, "The rule's id, such as \"block.bounds\".")
      .def_property_readonly(
          "severity", [](const Finding& f) { return f.severity() == Severity::error ? "error" : "warning"; },
          "\"error\" or \"warning\".")
      .def_readonly("process", &Finding::process, "The rank where it was found, or None.")
      .def_readonly("axis", &Finding::axis, "The axis, or None.")
      .def_property_readonly(
          "key", [](const Finding& f) { return or_none(f.key); }, "The protocol's key that is wrong, or None.")
      .def_property_readonly(
          "value", [](const Finding& f) { return or_none(f.value); },
          "The wrong value, or the whole fault if there is no key.")
      .def_property_readonly(
          "must", [](const Finding& f) { return or_none(f.must); }, "What the value must be, in words, or None.")
      .def_property_readonly(
          "remedy", [](const Finding& f) { return f.remedy.empty() ? rule_text(f.rule).remedy : f.remedy; },
          "What to do about it.")
      .def_property_readonly(
          "others",
          [](const Finding& f) {
            py::tuple others(f.others.size());
            for (std::size_t i = 0; i < f.others.size(); ++i)
              others[i] = py::make_tuple(f.others[i].value, f.others[i].process);
            return others;
          },
          "If processes disagree: (value, rank) of the other processes.")
      .def("__str__", [](const Finding& f) { return f.text(); })
      .def("__repr__", [](const Finding& f) { return "<tridap.Finding: " + f.text() + ">"; });
}

void bind_checked(py::module_& module) {
  py::class_<Checked>(
      module, "Report", py::custom_type_setup(forbid_new),
      "Every violation that was found; true if there is no error. It prints a line for each. A notebook\n"
      "shows a table, and a picture of the owners.")
      .def_property_readonly(
          "ok", [](const Checked& c) { return c.report.ok(); }, "Whether there is no error.")
      .def_property_readonly(
          "errors", [](const Checked& c) { return c.report.errors(); }, "How many errors.")
      .def_property_readonly(
          "warnings", [](const Checked& c) { return c.report.warnings(); }, "How many warnings.")
      .def_property_readonly(
          "findings", [](const Checked& c) { return py::tuple(py::cast(c.report.findings())); },
          "The findings, the first hundred of each rule.")
      .def_property_readonly(
          "counts",
          [](const Checked& c) {
            py::dict counts;
            for (const auto& [rule, count] : c.report.counts()) counts[rule_text(rule).id] = count;
            return counts;
          },
          "How often each rule was broken, by its id.")
      .def_property_readonly(
          "distribution",
          [](const Checked& c) -> py::object { return c.distribution ? py::cast(*c.distribution) : py::none(); },
          "The Distribution if the array is correct and all of it is known; else None.")
      .def(
          "json", [](const Checked& c) { return c.report.json(); },
          "json() -> str\n\nThe report as JSON, for programs.")
      .def("__bool__", [](const Checked& c) { return c.report.ok(); })
      .def("__str__", [](const py::object& c) { return py::module_::import("tridap._html").attr("text")(c); })
      .def("__repr__",
           [](const py::object& c) {
             return py::str("<tridap.Report: ") + py::module_::import("tridap._html").attr("verdict_of")(c) +
                    py::str(">");
           })
      .def("_repr_html_", [](const py::object& c) { return py::module_::import("tridap._html").attr("report")(c); })
      .def("_text", [](const Checked& c) { return c.report.text(); });
}

void bind_receipt(py::module_& module) {
  py::class_<Receipt>(module, "Receipt", py::custom_type_setup(forbid_new),
                      "What a conversion did on this process. str() is one line, and a notebook shows a table.")
      .def_readonly("shared", &Receipt::shared, "Whether the result shares the given memory.")
      .def_readonly("same_address", &Receipt::same_address,
                    "Whether the result begins at the same address as the given memory.")
      .def_readonly("bytes_copied", &Receipt::bytes_copied, "Bytes of elements that were copied.")
      .def_property_readonly(
          "losses", [](const Receipt& r) { return py::tuple(py::cast(r.losses)); },
          "The properties that the result cannot express.")
      .def_readonly("seconds", &Receipt::seconds, "The seconds that the conversion took.")
      .def("__str__", [](const Receipt& r) { return r.text(); })
      .def("_repr_html_", [](const py::object& r) { return py::module_::import("tridap._html").attr("receipt")(r); })
      .def("__repr__", [](const Receipt& r) { return "<tridap.Receipt: " + r.text() + ">"; });
}

}  // namespace

void bind_report(py::module_& module) {
  bind_finding(module);
  bind_checked(module);
  bind_receipt(module);
  module.def("_copied", [](Index bytes, double seconds) { return Receipt{false, false, bytes, {}, seconds}; });
  module.def("_receipt", [](Index bytes_copied, double seconds) {
    Receipt receipt;
    receipt.shared = receipt.same_address = false;
    receipt.bytes_copied = bytes_copied;
    receipt.seconds = seconds;
    return receipt;
  });
  module.def("_refuse", [](const Text& fault, const Text& remedy) { refuse(fault, "", remedy); });
  module.def("_together", &run_together, "comm"_a, "step"_a, "same"_a);
  module.def("_check", &check_object, "obj"_a, "comm"_a, "raise_on_error"_a, "trust_extent"_a);
}

}  // namespace tridap::python
