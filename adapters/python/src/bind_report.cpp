#include "array.hpp"
#include "bindings.hpp"
#include "python_methods.hpp"
#include "text_argument.hpp"
#include "value.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/value.hpp>

#include <pybind11/stl.h>

namespace tridap::python {

namespace {

using namespace py::literals;

py::object or_none(const std::string& text) { return text.empty() ? py::none() : py::object(py::str(text)); }

}  // namespace

void bind_report(py::module_& module) {
  py::class_<Finding> finding(
      module, "Finding", py::custom_type_setup(forbid_new),
      "One violation of a rule: the fault, the value, the rule, the remedy. str() is its line.");
  const auto of_finding = property_of(finding);
  of_finding("rule", "The rule's id, such as \"block.bounds\".", [](const Finding& f) { return rule_text(f.rule).id; });
  of_finding("severity", "\"error\" or \"warning\".",
             [](const Finding& f) { return f.severity() == Severity::error ? "error" : "warning"; });
  of_finding("process", "The rank where it was found, or None.", [](const Finding& f) { return f.process; });
  of_finding("axis", "The axis, or None.", [](const Finding& f) { return f.axis; });
  of_finding("key", "The protocol's key that is wrong, or None.", [](const Finding& f) { return or_none(f.key); });
  of_finding("value", "The wrong value, or the whole fault if there is no key.",
             [](const Finding& f) { return or_none(f.value); });
  of_finding("must", "What the value must be, in words, or None.", [](const Finding& f) { return or_none(f.must); });
  of_finding("remedy", "What to do about it.",
             [](const Finding& f) { return f.remedy.empty() ? rule_text(f.rule).remedy : f.remedy; });
  of_finding("others", "If processes disagree: (value, rank) of the other processes.", [](const Finding& f) {
    py::tuple others(f.others.size());
    for (std::size_t i = 0; i < f.others.size(); ++i)
      others[i] = py::make_tuple(f.others[i].value, f.others[i].process);
    return others;
  });
  finding.def("__str__", [](const Finding& f) { return f.text(); }).def("__repr__", [](const Finding& f) {
    return "<tridap.Finding: " + f.text() + ">";
  });

  py::class_<Checked> report(
      module, "Report", py::custom_type_setup(forbid_new),
      "Every violation that was found; true if there is no error. It prints a line for each. A notebook\n"
      "shows a table, and a picture of the owners.");
  const auto of_report = property_of(report);
  of_report("ok", "Whether there is no error.", [](const Checked& c) { return c.report.ok(); });
  of_report("errors", "How many errors.", [](const Checked& c) { return c.report.errors(); });
  of_report("warnings", "How many warnings.", [](const Checked& c) { return c.report.warnings(); });
  of_report("findings", "The findings, the first hundred of each rule.",
            [](const Checked& c) { return py::tuple(py::cast(c.report.findings())); });
  of_report("counts", "How often each rule was broken, by its id.", [](const Checked& c) {
    py::dict counts;
    for (const auto& [rule, count] : c.report.counts()) counts[rule_text(rule).id] = count;
    return counts;
  });
  of_report("distribution", "The Distribution if the array is correct and all of it is known; else None.",
            [](const Checked& c) -> py::object { return c.distribution ? py::cast(*c.distribution) : py::none(); });
  report
      .def(
          "json", [](const Checked& c) { return c.report.json(); },
          "json() -> str\n\nThe report as JSON, for programs.")
      .def("__bool__", [](const Checked& c) { return c.report.ok(); })
      .def("__str__", [](const py::object& c) { return function_of("tridap._html", "text")(c); })
      .def("__repr__",
           [](const py::object& c) {
             return py::str("<tridap.Report: ") + function_of("tridap._html", "verdict_of")(c) + py::str(">");
           })
      .def("_repr_html_", [](const py::object& c) { return function_of("tridap._html", "report")(c); })
      .def("_text", [](const Checked& c) { return c.report.text(); });

  py::class_<Receipt> receipt(
      module, "Receipt", py::custom_type_setup(forbid_new),
      "What a conversion did on this process. str() is one line, and a notebook shows a table.");
  const auto of_receipt = property_of(receipt);
  of_receipt("shared", "Whether the result shares the given memory.", [](const Receipt& r) { return r.shared; });
  of_receipt("same_address", "Whether the result begins at the same address as the given memory.",
             [](const Receipt& r) { return r.same_address; });
  of_receipt("bytes_copied", "Bytes of elements that were copied.", [](const Receipt& r) { return r.bytes_copied; });
  of_receipt("losses", "The properties that the result cannot express.",
             [](const Receipt& r) { return py::tuple(py::cast(r.losses)); });
  of_receipt("seconds", "The seconds that the conversion took.", [](const Receipt& r) { return r.seconds; });
  receipt.def("__str__", [](const Receipt& r) { return r.text(); })
      .def("_repr_html_", [](const py::object& r) { return function_of("tridap._html", "receipt")(r); })
      .def("__repr__", [](const Receipt& r) { return "<tridap.Receipt: " + r.text() + ">"; });
  module.def("_copied", [](Index bytes, double seconds) { return Receipt{false, false, bytes, {}, seconds}; });
  module.def("_refuse", [](const Text& fault, const Text& remedy) { refuse(fault, "", remedy); });
  module.def("_together", &run_together, "comm"_a, "step"_a, "same"_a);
  module.def("_check", &check_object, "obj"_a, "comm"_a, "raise_on_error"_a, "trust_extent"_a);
}

}  // namespace tridap::python
