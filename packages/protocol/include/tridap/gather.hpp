#pragma once

#include <tridap/check.hpp>
#include <tridap/distribution.hpp>
#include <tridap/team.hpp>

#include <optional>
#include <vector>

namespace tridap {

/// Checks a whole array in one place, with what each process said of it, in the order of their ranks: every rule, each
/// process's own and those between processes. Nothing communicates.
Report check(const std::vector<DistArray>& of_each_process, const Reading& reading = {});

/// The Distribution that all processes' dim_data make up, after the same check; throws Error where there is none.
Distribution gather(const std::vector<DistArray>& of_each_process, const Reading& reading = {});

/// One of the processes that are here, and its part of the array.
struct Member {
  Index rank = 0;
  const DistArray* array = nullptr;
  const Report* reading = nullptr;  ///< what reading it found, where it was read: its axes with errors are not compared
};

/// What a team found out about an array.
struct Verdict {
  std::vector<Report> reports;               ///< what each member here found; all members' together are the whole
  std::optional<Distribution> distribution;  ///< nothing where anybody found an error, or where it was not asked for
};

/// Checks an array with every member of a team: what stands behind check() and gather(), whatever carries the messages.
/// **Collective.** One reduction of fixed size, one in proportion to the sum of the axes' process counts, and for
/// unstructured axes: a comparison of the lists at one coordinate, and, where an axis claims `one_to_one` or its `size`
/// is not the sum of its lists, an exchange of the indices by their hash. Only a wanted Distribution brings every list
/// to every process. `reading` and `want_distribution` are the same on every process.
Verdict confer(const std::vector<Member>& members, Team& team, const Reading& reading, bool want_distribution);

}  // namespace tridap
