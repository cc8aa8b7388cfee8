#pragma once

#include "axis_record.hpp"
#include "checking.hpp"

#include <string>
#include <utility>

#pragma GCC visibility push(hidden)

namespace tridap {

/// A check of one array that its processes make together: the members of this process, and what is known and reported
/// so far. Every process makes the same steps.
struct JointCheck {
  const std::vector<LocalArray>& members;
  Collectives& collectives;
  std::vector<Index> ranks;                      ///< by member
  std::vector<Report> reports;                   ///< by member
  std::vector<std::optional<Version>> versions;  ///< by member: that its data is read as; nullopt: none that is read
  bool right = true;                             ///< no process has an error; the same on every process
  std::vector<bool> agreed;                      ///< by axis: valid on each process alone, and the same on all
  std::vector<Index> rank_stride;                ///< by axis: from one coordinate to the next, in ranks
  Index most_listed;  ///< Reading::most_listed; of all processes, once they have compared their numbers
  std::vector<std::vector<ListSummary>> summaries;  ///< by member and axis, of unstructured axes
  std::vector<bool> lists_differ;                   ///< by axis: at some coordinate
  std::vector<std::optional<SpreadLists>> spread;   ///< by axis: lists that stay on their processes

  JointCheck(const std::vector<LocalArray>& of, Collectives& carrier, const Reading& reading)
      : members(of), collectives(carrier), reports(of.size()), most_listed(reading.most_listed) {
    for (const LocalArray& member : of) ranks.push_back(member.rank);
  }

  Version version() const { return versions.front().value_or(Version::v0_10); }  ///< if the processes agree
  const DistArray& array(std::size_t k) const { return *members[k].array; }
  const Dimension& dim(std::size_t k, std::size_t axis) const { return array(k).dim_data[axis]; }
  std::size_t coordinate(std::size_t k, std::size_t axis) const {
    return static_cast<std::size_t>(dim(k, axis).proc_grid_rank);
  }
  Index coordinates(std::size_t axis) const { return dim(0, axis).proc_grid_size; }
  /// The first process at a coordinate, which represents all processes there.
  Index first_at(std::size_t axis, Index coordinate) const { return coordinate * rank_stride[axis]; }
  bool represents(std::size_t k, std::size_t axis) const {
    return ranks[k] == first_at(axis, dim(k, axis).proc_grid_rank);
  }
  /// True for an unstructured axis on which the processes agree.
  bool is_listed(std::size_t axis) const { return agreed[axis] && dim(0, axis).dist_type() == 'u'; }
  /// The indices of a member on an unstructured axis, which could be read before. Throws std::bad_alloc.
  std::vector<Index> indices(std::size_t k, std::size_t axis) const;

  /// Numbers the coordinates of the `chosen` axes, one axis after the other: by axis, the number of coordinate 0; and
  /// at the end, how many there are.
  std::vector<std::size_t> numbers_of_coordinates(const std::vector<bool>& chosen) const;

  template <class Step>
  bool everywhere(Step step) {
    return tridap::everywhere(members, collectives, reports, step);
  }
  /// The same for a step that is done once for all members of this process.
  template <class Step>
  bool alone(Step step) {
    return everywhere([&](std::size_t k) {
      if (k == 0) step();
    });
  }

  void disagree(std::size_t axis) { agreed[axis] = right = false; }
  /// Reports a fault of one member.
  void add(std::size_t k, Rule rule, std::optional<Index> axis, std::string key, std::string value, std::string must,
           std::vector<ValueElsewhere> others = {}) {
    reports[k].add({rule, ranks[k], axis, std::move(key), std::move(value), std::move(must), "", std::move(others)});
  }
  /// Reports a fault that is not of a single process, on the first process.
  void add_for_all(Finding finding) {
    if (ranks.front() == 0) reports.front().add(std::move(finding));
  }
};

/// Checks each process's data alone, and compares the numbers that must be the same on all processes. Sets `agreed` and
/// `rank_stride`. Returns false if the grid of the processes is not known to all, so that nothing else can be compared.
/// **Collective.**
bool compare_numbers(JointCheck& check);

/// Compares what the processes at each coordinate of each agreed axis say. Returns it for each coordinate.
/// **Collective.**
AxisRecords exchange_records(JointCheck& check);

/// Compares the lists of the unstructured axes at each coordinate, and checks `one_to_one` and what `size` counts. If
/// the distribution is wanted, leaves long lists on their processes. **Collective.**
void compare_lists(JointCheck& check, const AxisRecords& records, bool want_distribution);

/// Makes the axes of the records, or reports why that is impossible. Returns the Distribution if it is wanted and no
/// process has an error. **Collective.**
std::optional<Distribution> join_axes(JointCheck& check, const AxisRecords& records, bool want_distribution);

}  // namespace tridap

#pragma GCC visibility pop
