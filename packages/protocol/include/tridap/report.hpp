#pragma once

#include <tridap/index.hpp>

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tridap {

/// The rules of the protocol that a message can name; rule_text() has their words.
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

/// What stands behind a rule id.
struct RuleText {
  const char* id;  ///< as messages print it in brackets
  Severity severity;
  const char* says;    ///< the rule, in one sentence
  const char* remedy;  ///< what to do about it
};

const RuleText& rule_text(Rule rule);

/// What another process says.
struct ValueElsewhere {
  std::string value;
  Index process = 0;  ///< its rank
};

/// One violation: the fault, the value, the rule, the remedy.
struct Finding {
  Rule rule = Rule::process_failure;
  std::optional<Index> process;  ///< rank; absent: not known where it was found
  std::optional<Index> axis;
  std::string key;    ///< the protocol's key, such as "stop"; empty: the fault is about no single key
  std::string value;  ///< the value seen; for an empty key the whole fault
  std::string must;  ///< what holds for this value here, such as "must be at most size 10"; empty: the rule's own words
  std::string remedy;  ///< empty: the rule's own
  /// What other processes say where they disagree: after `value`, as in "12, but 10 on rank 3", or in place of an empty
  /// one, as in "12 on rank 0 and 10 on rank 3".
  std::vector<ValueElsewhere> others = {};

  Severity severity() const { return rule_text(rule).severity; }
  std::string text() const;  ///< one line: "axis 1 (rank 3): 'stop' is 12, must be at most size 10 [block.bounds]: ..."
};

/// Every violation found: exact counts, and the first hundred findings of each rule in the order they came.
class Report {
 public:
  static constexpr Index kept_per_rule = 100;

  void add(Finding finding);
  void merge(const Report& other);  ///< appends what `other` found
  void set_process(Index process);  ///< names the process in findings that name none

  bool ok() const { return errors() == 0; }  ///< warnings are allowed
  Index errors() const { return total(Severity::error); }
  Index warnings() const { return total(Severity::warning); }
  Index count(Rule rule) const;                                       ///< all findings of this rule, kept or not
  const std::vector<Finding>& findings() const { return findings_; }  ///< those kept
  const std::map<Rule, Index>& counts() const { return counts_; }
  std::string text() const;  ///< a line for each finding kept, errors first, and how many more there were
  /// The same for programs: {"ok", "errors", "warnings", "counts": {rule: n}, "findings": [{"rule", "severity",
  /// "process", "axis", "key", "value", "must", "says", "remedy", "text"}, ...]}; what is not known is null.
  std::string json() const;

  /// Rebuilds a report from its parts; counts are never less than the findings of that rule.
  static Report from_parts(std::vector<Finding> findings, std::map<Rule, Index> counts);

 private:
  Index total(Severity severity) const;

  std::vector<Finding> findings_;
  std::map<Rule, Index> counts_;
};

/// What every refusal of this library is: a sentence for people, and the report behind it.
class Error : public std::runtime_error {
 public:
  explicit Error(Report report) : std::runtime_error(report.text()), report_(std::move(report)) {}
  explicit Error(Finding finding);

  const Report& report() const { return report_; }

 private:
  Report report_;
};

/// Throws an Error if the report holds one.
void throw_if_wrong(const Report& report);

}  // namespace tridap
