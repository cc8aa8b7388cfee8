#include "checking.hpp"
#include <tridap/gather.hpp>

namespace tridap {

namespace {

// All processes in one place.
class Together : public Team {
 public:
  explicit Together(Index processes) : processes_(processes) {}
  Index processes() const override { return processes_; }
  void largest(std::vector<Index>&) override {}
  void sum(std::vector<Index>&) override {}
  std::vector<Parcel> exchange(std::vector<Parcel> parcels) override { return parcels; }

 private:
  Index processes_;
};

std::vector<Member> members_of(const std::vector<DistArray>& of_each_process) {
  std::vector<Member> members;
  for (const DistArray& array : of_each_process)
    members.push_back({static_cast<Index>(members.size()), &array, nullptr});
  return members;
}

}  // namespace

Verdict confer_together(const std::vector<Member>& members, const Reading& reading, bool want_distribution) {
  Together team(static_cast<Index>(members.size()));
  return confer(members, team, reading, want_distribution);
}

Report merged(const std::vector<Report>& reports) {
  Report all;
  for (const Report& report : reports) all.merge(report);
  return all;
}

Report check(const std::vector<DistArray>& of_each_process, const Reading& reading) {
  if (of_each_process.empty()) {
    Report report;
    report.add({Rule::grid_product, {}, {}, "", "there are 0 processes", "but an array has at least one", ""});
    return report;
  }
  return merged(confer_together(members_of(of_each_process), reading, false).reports);
}

Distribution gather(const std::vector<DistArray>& of_each_process, const Reading& reading) {
  if (of_each_process.empty()) throw Error(check(of_each_process));
  Verdict verdict = confer_together(members_of(of_each_process), reading, true);
  if (!verdict.distribution) throw Error(merged(verdict.reports));
  return std::move(*verdict.distribution);
}

}  // namespace tridap
