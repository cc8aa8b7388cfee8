#pragma once

#include <tridap/index.hpp>

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tridap {

/// The rules of the protocol that a message can name. rule_text() gives their texts.
enum class Rule {
  version_form,
  version_read,
  version_extent,
  type_integer,
  type_flag,
  type_text,
  type_structure,
  key_missing,
  dist_type,
  empty_dict,
  buffer_layout,
  buffer_data,
  buffer_type,
  buffer_values,
  shape_ndim,
  shape_extent,
  size,
  grid_size,
  grid_rank,
  grid_product,
  grid_order,
  grid_undistributed,
  block_bounds,
  block_tiling,
  block_padding,
  block_padding_pair,
  block_padding_neighbour,
  block_padding_owned,
  block_padding_everywhere,
  block_periodic,
  periodic_kind,
  cyclic_block_size,
  cyclic_start,
  unstructured_indices,
  unstructured_list,
  unstructured_unique,
  unstructured_size,
  unstructured_distinct,
  unstructured_one_to_one,
  agree_version,
  agree_ndim,
  agree_element_type,
  agree_dist_type,
  agree_size,
  agree_proc_grid_size,
  agree_block_size,
  agree_periodic,
  agree_one_to_one,
  axis_same,
  extra_key,
  json_document,
  capture_ranks,
  conversion,
  process_failure,
};
inline constexpr int rule_count = static_cast<int>(Rule::process_failure) + 1;

enum class Severity { error, warning };

/// The texts of a rule.
struct RuleText {
  const char* id;  ///< printed in brackets in messages
  Severity severity;
  const char* says;    ///< the rule, in one sentence
  const char* remedy;  ///< what to do
};

const RuleText& rule_text(Rule rule);

/// The value on another process.
struct ValueElsewhere {
  std::string value;  ///< of the same key, or with its own key: "'start' is 8"
  Index process = 0;  ///< its rank
};

/// One violation: the fault, the value, the rule and the remedy.
struct Finding {
  Rule rule = Rule::process_failure;
  std::optional<Index> process;  ///< rank; absent: not known where the violation was found
  std::optional<Index> axis;
  std::string key;     ///< the protocol's key, such as "stop"; empty: the fault is not about a single key
  std::string value;   ///< the value found; if `key` is empty, the whole fault
  std::string must;    ///< the condition for this value, such as "must be at most size 10"; empty: the text of the rule
  std::string remedy;  ///< empty: the remedy of the rule
  /// The values on other processes, if processes differ. They follow `value`, as in "12, but 10 on rank 3", or replace
  /// an empty one, as in "12 on rank 0 and 10 on rank 3".
  std::vector<ValueElsewhere> others = {};

  Severity severity() const { return rule_text(rule).severity; }
  std::string text() const;  ///< one line: "axis 1 (rank 3): 'stop' is 12, must be at most size 10 [block.bounds]: ..."
};

/// All violations found: exact counts, and the first hundred findings of each rule in the order in which they were
/// added.
class Report {
 public:
  static constexpr Index kept_per_rule = 100;

  void add(Finding finding);
  void merge(const Report& other);  ///< appends the findings of `other`
  void set_process(Index process);  ///< sets the process of findings that have none

  bool ok() const { return errors() == 0; }  ///< warnings are allowed
  Index errors() const { return total(Severity::error); }
  Index warnings() const { return total(Severity::warning); }
  Index count(Rule rule) const;                                       ///< all findings of this rule, kept or not
  const std::vector<Finding>& findings() const { return findings_; }  ///< those kept
  const std::map<Rule, Index>& counts() const { return counts_; }
  std::string text() const;  ///< a line for each finding kept, errors first, then the number of the others
  /// The same as JSON: {"ok", "errors", "warnings", "counts": {rule: n}, "findings": [{"rule", "severity", "process",
  /// "axis", "key", "value", "must", "says", "remedy", "text"}, ...]}; unknown values are null.
  std::string json() const;

  /// Makes a report from its parts. The count of a rule is at least the number of its findings.
  static Report from_parts(std::vector<Finding> findings, std::map<Rule, Index> counts);

 private:
  Index total(Severity severity) const;

  std::vector<Finding> findings_;
  std::map<Rule, Index> counts_;
};

/// The exception of this library: a message, and the report that it was made from.
class Error : public std::runtime_error {
 public:
  explicit Error(Report report) : std::runtime_error(report.text()), report_(std::move(report)) {}
  explicit Error(Finding finding);

  const Report& report() const { return report_; }

 private:
  Report report_;
};

/// Throws an Error if the report contains an error.
void throw_if_wrong(const Report& report);

}  // namespace tridap
