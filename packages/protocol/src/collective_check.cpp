#include "joint_check.hpp"
#include <tridap/internal/collective_check.hpp>

#include <new>

namespace tridap {

std::vector<Index> JointCheck::indices(std::size_t k, std::size_t axis) const {
  auto indices = read_indices(std::get<Unstructured>(dim(k, axis).dist).indices);
  if (!indices) throw std::bad_alloc();
  return std::move(*indices);
}

std::vector<std::size_t> JointCheck::numbers_of_coordinates(const std::vector<bool>& chosen) const {
  std::vector<std::size_t> first{0};
  for (std::size_t axis = 0; axis < chosen.size(); ++axis)
    first.push_back(first.back() + (chosen[axis] ? static_cast<std::size_t>(coordinates(axis)) : 0));
  return first;
}

namespace {

// Finds the version that each process's data is read as: the stated one, or with trust_extent the one that fits on
// every process. If the data of some process cannot be compared, each finds it alone.
void settle_version(JointCheck& check, const Reading& reading) {
  std::vector<std::vector<Index>> numbers;
  for (std::size_t k = 0; k < check.members.size(); ++k) {
    const bool comparable = check.members[k].comparable;
    const std::optional<Version> stamped =
        comparable ? read_version(check.array(k).version, check.reports[k]) : std::nullopt;
    check.versions.push_back(stamped);
    if (!reading.trust_extent) continue;
    const auto misfits = [&](Version version) { return fits_version(check.array(k), version) ? 0 : 1; };
    numbers.push_back({stamped ? misfits(*stamped) : 1, stamped ? misfits(other(*stamped)) : 1, minor_number(stamped),
                       comparable ? 0 : 1});
  }
  if (!reading.trust_extent) return;
  const std::vector<MinMax> all = min_max(check.ranks, numbers, check.collectives);
  const bool alone = all[3].largest != 0;
  if (!alone && (all[0].largest == 0 || all[1].largest != 0 || !all[2].is_same())) return;
  for (std::size_t k = 0; k < check.members.size(); ++k) {
    std::optional<Version>& version = check.versions[k];
    if (alone && (numbers[k][0] == 0 || numbers[k][1] != 0)) continue;
    if (numbers[k][0] != 0) check.reports[k].add(trusted(*version));
    version = other(*version);
  }
}

}  // namespace

CheckOutcome check_collectively(const std::vector<LocalArray>& members, Collectives& collectives,
                                const Reading& reading, bool want_distribution) {
  JointCheck check(members, collectives, reading);
  CheckOutcome outcome;
  settle_version(check, reading);
  if (compare_numbers(check)) {
    const AxisRecords records = exchange_records(check);
    compare_lists(check, records, want_distribution);
    outcome.distribution = join_axes(check, records, want_distribution);
  }
  outcome.reports = std::move(check.reports);
  return outcome;
}

}  // namespace tridap
