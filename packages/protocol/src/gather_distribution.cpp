#include <tridap/gather_distribution.hpp>
#include <tridap/internal/collective_check.hpp>

namespace tridap {

namespace {

// All processes of an array in one process: nothing communicates.
class InOnePlace : public Collectives {
 public:
  explicit InOnePlace(Index processes) : processes_(processes) {}
  Index processes() const override { return processes_; }
  void max(std::vector<Index>&) override {}
  void sum(std::vector<Index>&) override {}
  std::vector<Message> exchange(std::vector<Message> messages) override { return messages; }

 private:
  Index processes_;
};

std::vector<LocalArray> members_of(const std::vector<DistArray>& of_each_process) {
  std::vector<LocalArray> members;
  for (const DistArray& array : of_each_process)
    members.push_back({static_cast<Index>(members.size()), &array, nullptr});
  return members;
}

CheckOutcome outcome_of(const std::vector<LocalArray>& members, const Reading& reading, bool want_distribution) {
  InOnePlace collectives(static_cast<Index>(members.size()));
  return check_collectively(members, collectives, reading, want_distribution);
}

// The findings of all members.
Report merged(const std::vector<Report>& reports) {
  Report all;
  for (const Report& report : reports) all.merge(report);
  return all;
}

}  // namespace

Report check_in_one_place(const std::vector<LocalArray>& members, const Reading& reading) {
  return merged(outcome_of(members, reading, false).reports);
}

Distribution gather_in_one_place(const std::vector<LocalArray>& members, const Reading& reading) {
  CheckOutcome outcome = outcome_of(members, reading, true);
  if (!outcome.distribution) throw Error(merged(outcome.reports));
  return std::move(*outcome.distribution);
}

Report check(const std::vector<DistArray>& of_each_process, const Reading& reading) {
  if (of_each_process.empty()) {
    Report report;
    report.add({Rule::grid_product, {}, {}, "", "there are 0 processes", "but an array has at least one", ""});
    return report;
  }
  return check_in_one_place(members_of(of_each_process), reading);
}

Distribution gather_distribution(const std::vector<DistArray>& of_each_process, const Reading& reading) {
  if (of_each_process.empty()) throw Error(check(of_each_process));
  return gather_in_one_place(members_of(of_each_process), reading);
}

}  // namespace tridap
