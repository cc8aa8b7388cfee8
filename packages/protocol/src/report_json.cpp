#include "json.hpp"
#include <tridap/report.hpp>

namespace tridap {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

std::string Report::json() const {
  Json counts = Json::object(), findings = Json::array();
  for (const auto& [rule, count] : counts_) counts[rule_text(rule).id] = count;
  for (const Finding& finding : findings_) {
    const RuleText& rule = rule_text(finding.rule);
    Json others = Json::array();
    for (const ValueElsewhere& other : finding.others)
      others.push_back({{"value", other.value}, {"process", other.process}});
    findings.push_back({{"rule", rule.id},
                        {"severity", finding.severity() == Severity::error ? "error" : "warning"},
                        {"process", or_null(finding.process)},
                        {"axis", or_null(finding.axis)},
                        {"key", or_null(finding.key)},
                        {"value", finding.value},
                        {"must", or_null(finding.must)},
                        {"others", others},
                        {"says", rule.says},
                        {"remedy", or_null(finding.remedy.empty() ? rule.remedy : finding.remedy)},
                        {"text", finding.text()}});
  }
  return dump(
      {{"ok", ok()}, {"errors", errors()}, {"warnings", warnings()}, {"counts", counts}, {"findings", findings}});
}

}  // namespace tridap
