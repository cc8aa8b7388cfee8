#pragma once

#include <tridap/check.hpp>
#include <tridap/distribution.hpp>
#include <tridap/internal/collectives.hpp>

#include <optional>
#include <vector>

namespace tridap {

/// A process that is represented by the caller, and its part of the array.
struct LocalArray {
  Index rank = 0;
  const DistArray* array = nullptr;
  const Report* reading = nullptr;  ///< what reading the array found, or null; its axes with errors are not compared
  bool comparable = true;           ///< false: not all that is compared could be read, so that nothing is compared
};

/// The result of check_collectively().
struct CheckOutcome {
  std::vector<Report> reports;  ///< what each member found; the reports of all members together are complete
  std::optional<Distribution> distribution;  ///< nullopt if any process found an error, or if it was not requested
};

/// Checks an array together with the other processes. It implements check() and gather_distribution() for every carrier
/// of messages.
///
/// **Collective.** Communicates one reduction of fixed size, and one whose size is proportional to the sum of the axes'
/// process counts. For an unstructured axis it also compares the lists at one coordinate. If such an axis claims
/// `one_to_one`, or its `size` is not the sum of the lengths of its lists, it exchanges the indices by their hash.
/// Every list is sent to every process only if `want_distribution` is true. `reading` and `want_distribution` are the
/// same on every process.
CheckOutcome check_collectively(const std::vector<LocalArray>& members, Collectives& collectives,
                                const Reading& reading, bool want_distribution);

/// check() and gather_distribution() of members that are all processes of an array.
Report check_in_one_place(const std::vector<LocalArray>& members, const Reading& reading);
Distribution gather_in_one_place(const std::vector<LocalArray>& members, const Reading& reading);

}  // namespace tridap
