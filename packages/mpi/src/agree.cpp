#include <dap/mpi/agree.hpp>
#include <dap/text.hpp>

#include <algorithm>
#include <cstring>
#include <string>

namespace dap::mpi {

namespace {

constexpr std::size_t longest_text = 1000;  // bytes of one field that travel

// A report as bytes: numbers and length-prefixed texts, between processes of one program.
class Packer {
 public:
  void number(Index value) {
    const auto* raw = reinterpret_cast<const char*>(&value);
    bytes_.insert(bytes_.end(), raw, raw + sizeof(value));
  }
  void text(const std::string& value) {
    const std::string sent = shortened(value, longest_text);
    number(static_cast<Index>(sent.size()));
    bytes_.insert(bytes_.end(), sent.begin(), sent.end());
  }
  void optional(const std::optional<Index>& value) {
    number(value.has_value());
    number(value.value_or(0));
  }
  std::vector<char> take() { return std::move(bytes_); }

 private:
  std::vector<char> bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(const std::vector<char>& bytes) : at_(bytes.data()) {}
  Index number() {
    Index value = 0;
    std::memcpy(&value, at_, sizeof(value));
    at_ += sizeof(value);
    return value;
  }
  std::string text() {
    const Index length = number();
    std::string value(at_, static_cast<std::size_t>(length));
    at_ += length;
    return value;
  }
  std::optional<Index> optional() {
    const bool present = number() != 0;
    const Index value = number();
    return present ? std::optional<Index>(value) : std::nullopt;
  }

 private:
  const char* at_;
};

std::vector<char> to_bytes(const Report& report) {
  Packer out;
  out.number(static_cast<Index>(report.counts().size()));
  for (const auto& [rule, count] : report.counts()) {
    out.number(static_cast<Index>(rule));
    out.number(count);
  }
  out.number(static_cast<Index>(report.findings().size()));
  for (const Finding& finding : report.findings()) {
    out.number(static_cast<Index>(finding.rule));
    out.optional(finding.process);
    out.optional(finding.axis);
    for (const std::string* field : {&finding.key, &finding.value, &finding.must, &finding.remedy}) out.text(*field);
  }
  return out.take();
}

Report from_bytes(const std::vector<char>& bytes) {
  Unpacker in(bytes);
  std::map<Rule, Index> counts;
  for (Index rules = in.number(); rules > 0; --rules) {
    const auto rule = static_cast<Rule>(in.number());
    counts[rule] = in.number();
  }
  std::vector<Finding> findings(static_cast<std::size_t>(in.number()));
  for (Finding& finding : findings) {
    finding.rule = static_cast<Rule>(in.number());
    finding.process = in.optional();
    finding.axis = in.optional();
    for (std::string* field : {&finding.key, &finding.value, &finding.must, &finding.remedy}) *field = in.text();
  }
  return Report::from_parts(std::move(findings), std::move(counts));
}

// Merges up a binomial tree in the order of ranks, each step bounded by what a Report keeps, and sends the sum to all.
Report merge_over_all(Report report, int rank, int processes, MPI_Comm comm) {
  const Duplicate duplicate(comm);  // our messages must not meet the caller's
  MPI_Comm const apart = duplicate.get();
  for (int step = 1; step < processes; step *= 2) {
    if (rank % (2 * step) != 0) {
      const std::vector<char> bytes = to_bytes(report);
      must_succeed(MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_CHAR, rank - step, 0, apart), "MPI_Send");
      break;
    }
    if (rank + step >= processes) continue;
    MPI_Status status;
    must_succeed(MPI_Probe(rank + step, 0, apart, &status), "MPI_Probe");
    int length = 0;
    must_succeed(MPI_Get_count(&status, MPI_CHAR, &length), "MPI_Get_count");
    std::vector<char> bytes(static_cast<std::size_t>(length));
    must_succeed(MPI_Recv(bytes.data(), length, MPI_CHAR, rank + step, 0, apart, MPI_STATUS_IGNORE), "MPI_Recv");
    report.merge(from_bytes(bytes));
  }
  std::vector<char> bytes = to_bytes(report);
  int length = static_cast<int>(bytes.size());
  must_succeed(MPI_Bcast(&length, 1, MPI_INT, 0, apart), "MPI_Bcast");
  bytes.resize(static_cast<std::size_t>(length));
  must_succeed(MPI_Bcast(bytes.data(), length, MPI_CHAR, 0, apart), "MPI_Bcast");
  return from_bytes(bytes);
}

Report merge_where(bool warnings_count, Report local, MPI_Comm comm) {
  int rank = 0, processes = 1;
  must_succeed(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  must_succeed(MPI_Comm_size(comm, &processes), "MPI_Comm_size");
  Index found[] = {local.errors(), local.warnings()};
  must_succeed(MPI_Allreduce(MPI_IN_PLACE, found, 2, MPI_INT64_T, MPI_MAX, comm), "MPI_Allreduce");
  if (found[0] == 0 && (found[1] == 0 || !warnings_count)) return local;
  return merge_over_all(std::move(local), rank, processes, comm);
}

}  // namespace

Index rank_of(MPI_Comm comm) {
  int rank = 0;
  must_succeed(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank;
}

Report agree(Report local, MPI_Comm comm) { return merge_where(true, std::move(local), comm); }

void throw_together(Report local, MPI_Comm comm) { throw_if_wrong(merge_where(false, std::move(local), comm)); }

std::vector<Spread> spread(const std::vector<Index>& values, MPI_Comm comm) {
  Team team(comm);
  return dap::spread({rank_of(comm)}, {values}, team);
}

}  // namespace dap::mpi
