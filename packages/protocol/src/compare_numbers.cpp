#include "joint_check.hpp"
#include <tridap/internal/digest.hpp>

#include <algorithm>
#include <array>
#include <new>
#include <string>

namespace tridap {

namespace {

// The numbers that must be the same on all processes: those of the array; and for each axis its state on this process
// and six keys. The first `axes_at_once` axes are in the same reduction, which has a fixed size.
enum ArrayKey : std::size_t {
  version_code,
  ndim,
  type_kind,
  type_bytes,
  type_order,
  type_description,
  misplaced,
  faulty,
  incomparable,
  most_listed,
  array_keys
};
constexpr std::size_t axes_at_once = 8;
struct AxisKey {
  const char* name;
  Rule rule;
};
constexpr std::array<AxisKey, 6> axis_key = {{{"dist_type", Rule::agree_dist_type},
                                              {"size", Rule::agree_size},
                                              {"proc_grid_size", Rule::agree_proc_grid_size},
                                              {"block_size", Rule::agree_block_size},
                                              {"periodic", Rule::agree_periodic},
                                              {"one_to_one", Rule::agree_one_to_one}}};
constexpr std::size_t dist_type_key = 0, grid_key = 2, block_size_key = 3, one_to_one_key = 5;
constexpr std::size_t per_axis = 1 + axis_key.size();
constexpr std::size_t numbers_at_once = array_keys + axes_at_once * per_axis;
constexpr Index not_known = no_number;  // is not compared

// What other processes can use of an axis: everything; its place in the process grid; nothing.
enum State : Index { sound, wrong, nowhere };

void append_numbers(std::vector<Index>& numbers, const Dimension& d, State state) {
  const auto* cyclic = std::get_if<Cyclic>(&d.dist);
  const auto* unstructured = std::get_if<Unstructured>(&d.dist);
  if (state != sound)
    numbers.insert(numbers.end(), {state, not_known, not_known, state == wrong ? d.proc_grid_size : not_known,
                                   not_known, not_known, not_known});
  else
    numbers.insert(numbers.end(), {state, d.dist_type(), d.size, d.proc_grid_size, cyclic ? cyclic->block_size : 0,
                                   d.periodic ? 1 : 0, unstructured && unstructured->one_to_one ? 1 : 0});
}

// One number of all processes: its ends, and how many processes have the smallest and the largest.
struct Spread {
  MinMax ends;
  std::array<Index, 2> counts = {0, 0};

  bool is_same() const { return ends.is_same(); }
};

std::string shown(const std::string& key, Index value) {
  if (key == "__version__") return "0." + std::to_string(value);
  if (key == "dist_type") return "'" + std::string(1, static_cast<char>(value)) + "'";
  if (key == "periodic" || key == "one_to_one") return value != 0 ? "true" : "false";
  return std::to_string(value);
}

class NumberComparison {
 public:
  explicit NumberComparison(JointCheck& check) : check_(check) {}

  bool compare() {
    Numbers numbers, more;
    check_.summaries.resize(check_.members.size());
    collect(numbers, more);
    std::vector<Spread> all = spreads(numbers);
    if (all[incomparable].ends.largest != 0) return check_.right = false;
    const bool versions = compare_versions(all[version_code]), same_ndim = compare_ndim(all[ndim]),
               types = compare_types(all);
    check_.most_listed = all[most_listed].ends.smallest;
    check_.right = all[faulty].ends.largest == 0 && types;
    if (!versions || !same_ndim) return check_.right = false;
    if (check_.array(0).dim_data.size() > axes_at_once) {
      const std::vector<Spread> rest = spreads(more);
      all.insert(all.end(), rest.begin(), rest.end());
    }
    const bool comparable = compare_axes(&all[array_keys]) && compare_grid(all[misplaced].ends.largest == 0);
    const std::vector<bool>& agreed = check_.agreed;
    check_.right = check_.right && comparable && std::find(agreed.begin(), agreed.end(), false) == agreed.end();
    return comparable;
  }

 private:
  using Numbers = std::vector<std::vector<Index>>;  // by member

  // One reduction more if some numbers differ, to count them.
  std::vector<Spread> spreads(const Numbers& numbers) {
    std::vector<Spread> spreads;
    spreads.reserve(numbers.front().size());
    for (const MinMax& ends : min_max(check_.ranks, numbers, check_.collectives, not_known)) spreads.push_back({ends});
    if (std::all_of(spreads.begin(), spreads.end(), [](const Spread& s) { return s.is_same(); })) return spreads;
    std::vector<Index> counts(2 * spreads.size());
    for (const std::vector<Index>& of_one : numbers)
      for (std::size_t i = 0; i < spreads.size(); ++i) {
        if (of_one[i] == spreads[i].ends.smallest) ++counts[2 * i];
        if (of_one[i] == spreads[i].ends.largest) ++counts[2 * i + 1];
      }
    check_.collectives.sum(counts);
    for (std::size_t i = 0; i < spreads.size(); ++i) spreads[i].counts = {counts[2 * i], counts[2 * i + 1]};
    return spreads;
  }

  void collect(Numbers& numbers, Numbers& more) {
    for (std::size_t k = 0; k < check_.ranks.size(); ++k) {
      if (!check_.members[k].comparable) {
        report_unread(k);
        numbers.emplace_back(numbers_at_once, not_known)[incomparable] = 1;
        more.emplace_back();
        continue;
      }
      const std::vector<State> states = check_alone(k);
      const ElementType& type = check_.array(k).buffer.type;
      const bool placed =
          std::find(states.begin(), states.end(), nowhere) != states.end() || ravel(k) == check_.ranks[k];
      numbers.push_back({minor_number(check_.versions[k]), check_.array(k).ndim(), static_cast<Index>(type.kind),
                         type.bytes, type.native_order, type.description_number(), placed ? 0 : 1,
                         check_.reports[k].ok() ? 0 : 1, 0, check_.most_listed});
      more.emplace_back();
      for (std::size_t axis = 0; axis < states.size(); ++axis)
        append_numbers(axis < axes_at_once ? numbers[k] : more[k], check_.dim(k, axis), states[axis]);
      numbers[k].resize(numbers_at_once);
    }
  }

  void report_unread(std::size_t k) {
    Report& report = check_.reports[k];
    if (check_.members[k].reading != nullptr) report = *check_.members[k].reading;
    if (report.ok())  // there was no memory to report why
      check_.add(k, Rule::process_failure, {}, "", std::bad_alloc().what(), "");
    report.set_process(check_.ranks[k]);
  }

  // Checks one process's data alone. Returns for each axis how much of it the other processes can use.
  std::vector<State> check_alone(std::size_t k) {
    std::vector<State> states(check_.array(k).dim_data.size(), nowhere);
    check_.summaries[k].resize(states.size());
    try {
      Report alone;
      if (check_.members[k].reading != nullptr) alone = *check_.members[k].reading;
      alone.merge(check_as(check_.array(k), check_.versions[k].value_or(Version::v0_10)));
      const bool all_kept = alone.count(Rule::grid_product) == 0 && alone.errors() <= Report::kept_per_rule;
      if (all_kept) std::fill(states.begin(), states.end(), sound);
      for (const Finding& finding : alone.findings())
        if (finding.severity() == Severity::error && finding.axis && finding.rule != Rule::shape_extent) {
          State& state = states[static_cast<std::size_t>(*finding.axis)];
          state = std::max(state, hides_the_coordinate(finding) ? nowhere : wrong);
        }
      for (std::size_t axis = 0; axis < states.size(); ++axis)
        if (states[axis] == sound && check_.dim(k, axis).dist_type() == 'u')
          check_.summaries[k][axis] = summary_of(check_.indices(k, axis));
      check_.reports[k].merge(alone);
    } catch (const std::exception& error) {
      check_.add(k, Rule::process_failure, {}, "", error.what(), "");
    }
    check_.reports[k].set_process(check_.ranks[k]);
    return states;
  }

  static ListSummary summary_of(const std::vector<Index>& list) {
    ListSummary summary;
    Digest digest;
    digest.add_all(list);
    summary.digest = digest.value();
    for (const Index index : list) {
      summary.smallest = std::min(summary.smallest, index);
      summary.largest = std::max(summary.largest, index);
    }
    return summary;
  }

  static bool hides_the_coordinate(const Finding& finding) {
    return finding.rule == Rule::type_structure || finding.rule == Rule::empty_dict ||
           finding.key == "proc_grid_size" || finding.key == "proc_grid_rank";
  }

  bool compare_versions(const Spread& s) {
    if (s.ends.smallest >= 0 && !s.is_same()) both(Rule::agree_version, {}, "__version__", s);
    return s.ends.smallest >= 0 && s.is_same();
  }

  bool compare_ndim(const Spread& s) {
    if (!s.is_same()) both(Rule::agree_ndim, {}, "len(dim_data)", s);
    return s.is_same();
  }

  bool compare_types(const std::vector<Spread>& all) {
    for (const ArrayKey key : {type_kind, type_bytes, type_order, type_description}) {
      if (all[key].is_same()) continue;
      for (std::size_t k = 0; k < check_.ranks.size(); ++k)
        if (check_.ranks[k] == all[key].ends.smallest_rank || check_.ranks[k] == all[key].ends.largest_rank)
          check_.add(k, Rule::agree_element_type, {}, "", "the element type is " + check_.array(k).buffer.type.text(),
                     "but is different on another process");
      return false;
    }
    return true;
  }

  // Finds the axes on which all processes agree. Returns false if the process grid is not known to all.
  bool compare_axes(const Spread* of_axis) {
    bool grid_known = true;
    for (std::size_t axis = 0; axis < check_.array(0).dim_data.size(); ++axis, of_axis += per_axis) {
      const Spread* const of_key = of_axis + 1;
      bool same = of_axis->ends.largest == sound;
      for (std::size_t key = 0; key < axis_key.size(); ++key) {
        if (of_key[key].is_same()) continue;  // among the known values: an invalid axis only has its proc_grid_size
        same = false;
        const bool of_a_kind = key == block_size_key || key == one_to_one_key;  // keys that only one dist_type has
        if (!(of_a_kind && !of_key[dist_type_key].is_same()))
          both(axis_key[key].rule, static_cast<Index>(axis), axis_key[key].name, of_key[key]);
      }
      check_.agreed.push_back(same);
      grid_known = grid_known && of_axis->ends.largest < nowhere && of_key[grid_key].is_same();
    }
    return grid_known;
  }

  Index ravel(std::size_t k) const {
    Index ravel = 0;
    for (const Dimension& d : check_.array(k).dim_data) ravel = ravel * d.proc_grid_size + d.proc_grid_rank;
    return ravel;
  }

  bool compare_grid(bool all_in_place) {
    const Index processes = check_.collectives.processes();
    Index product = 1;  // check_as() has checked that it fits
    check_.rank_stride.resize(check_.agreed.size());
    check_.lists_differ.resize(check_.agreed.size(), false);
    check_.spread.resize(check_.agreed.size());
    for (std::size_t axis = check_.agreed.size(); axis-- > 0;) {
      check_.rank_stride[axis] = product;
      product *= check_.coordinates(axis);
    }
    if (product != processes) {
      const std::string sizes = "the process grid has " + std::to_string(product) + " processes and the array is on " +
                                std::to_string(processes);
      check_.add_for_all({Rule::grid_product, {}, {}, "", sizes, "but must be the same", ""});
      return false;
    }
    for (std::size_t k = 0; !all_in_place && k < check_.ranks.size(); ++k)
      if (const Index found = ravel(k); found != check_.ranks[k])
        check_.add(k, Rule::grid_order, {}, "",
                   "the row-major number of the grid coordinates is " + std::to_string(found), "must be the rank");
    return all_in_place;
  }

  // Reports a difference between two processes, on the first process, and the value that most processes have.
  void both(Rule rule, std::optional<Index> axis, const std::string& key, const Spread& s) {
    const MinMax& ends = s.ends;
    std::vector<ValueElsewhere> values = {{shown(key, ends.smallest), ends.smallest_rank},
                                          {shown(key, ends.largest), ends.largest_rank}};
    const std::size_t frequent = s.counts[0] > s.counts[1] ? 0 : 1;
    const Index all = check_.collectives.processes();
    std::string must = "but must be the same";
    if (s.counts[frequent] > all - s.counts[frequent])
      must += ": it is " + values[frequent].value + " on " + std::to_string(s.counts[frequent]) + " of " +
              std::to_string(all) + " processes";
    check_.add_for_all({rule, {}, axis, key, "", std::move(must), "", std::move(values)});
  }

  JointCheck& check_;
};

}  // namespace

bool compare_numbers(JointCheck& check) { return NumberComparison(check).compare(); }

}  // namespace tridap
