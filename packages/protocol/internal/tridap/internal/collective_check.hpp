#pragma once

#include <tridap/check.hpp>
#include <tridap/distribution.hpp>
#include <tridap/internal/collectives.hpp>

#include <optional>
#include <vector>

namespace tridap {

/// One of the processes that are here, and its part of the array.
struct LocalArray {
  Index rank = 0;
  const DistArray* array = nullptr;
  const Report* reading = nullptr;  ///< what reading it found, where it was read: its axes with errors are not compared
};

/// What a team found out about an array.
struct CheckOutcome {
  std::vector<Report> reports;               ///< what each member here found; all members' together are the whole
  std::optional<Distribution> distribution;  ///< nothing where anybody found an error, or where it was not asked for
};

/// Checks an array with every member of a team: what stands behind check() and gather_distribution(), whatever carries
/// the messages.
/// **Collective.** One reduction of fixed size, one in proportion to the sum of the axes' process counts, and for
/// unstructured axes: a comparison of the lists at one coordinate, and, where an axis claims `one_to_one` or its `size`
/// is not the sum of its lists, an exchange of the indices by their hash. Only a wanted Distribution brings every list
/// to every process. `reading` and `want_distribution` are the same on every process.
CheckOutcome check_collectively(const std::vector<LocalArray>& members, Collectives& team, const Reading& reading,
                                bool want_distribution);

}  // namespace tridap
