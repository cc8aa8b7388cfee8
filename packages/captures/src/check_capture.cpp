#include <tridap/capture.hpp>
#include <tridap/internal/collective_check.hpp>

#include <algorithm>
#include <string>

namespace tridap {

namespace {

void add_rank_findings(const Capture& capture, bool local, Report& report) {
  const auto count = static_cast<Index>(capture.processes.size());
  Index previous = -1;
  for (const CapturedProcess& process : capture.processes) {
    if (!process.ranked) continue;
    const Index rank = process.rank;
    std::string must;
    if (rank < 0)
      must = "must be at least 0";
    else if (rank == previous)
      must = "but another process has it";
    else if (rank >= count && !local)
      must = "must be less than the " + std::to_string(count) + " processes of this capture";
    if (!must.empty()) report.add({Rule::capture_ranks, rank, {}, "rank", std::to_string(rank), must, ""});
    previous = rank;
  }
}

bool is_comparable(const Capture& capture) {
  return capture.whole && std::all_of(capture.processes.begin(), capture.processes.end(),
                                      [](const CapturedProcess& process) { return process.comparable; });
}

// All processes of a capture as members of a collective check in one place.
std::vector<LocalArray> members_of(const Capture& capture) {
  std::vector<LocalArray> members;
  for (const CapturedProcess& process : capture.processes)
    members.push_back({process.rank, &process.read.array, &process.read.report});
  return members;
}

}  // namespace

Report check(const Capture& capture, bool local, const Reading& reading) {
  Report report = capture.report;
  add_rank_findings(capture, local, report);
  if (!local && report.ok() && is_comparable(capture)) {
    report.merge(check_in_one_place(members_of(capture), reading));
    return report;
  }
  for (const CapturedProcess& process : capture.processes) {
    Report alone = process.read.report;
    if (process.comparable) alone.merge(check(process.read.array, reading));
    if (process.ranked) alone.set_process(process.rank);
    report.merge(alone);
  }
  return report;
}

Distribution gather_distribution(const Capture& capture, const Reading& reading) {
  if (!capture.report.ok() || !is_comparable(capture) || capture.processes.empty()) throw Error(check(capture));
  return gather_in_one_place(members_of(capture), reading);
}

}  // namespace tridap
