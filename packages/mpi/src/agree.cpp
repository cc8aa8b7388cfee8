#include <tridap/internal/call.hpp>
#include <tridap/internal/collectives.hpp>
#include <tridap/internal/duplicates.hpp>
#include <tridap/internal/or_end_job.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/text.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <string>

namespace tridap::mpi {

namespace {

constexpr std::size_t longest_text = 1000;  // bytes of a field; longer ones are shortened before they are sent

// Writes a report as bytes: numbers, and texts after their length. Sender and receiver run the same program.
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
    out.number(static_cast<Index>(finding.others.size()));
    for (const ValueElsewhere& other : finding.others) {
      out.text(other.value);
      out.number(other.process);
    }
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
    finding.others.resize(static_cast<std::size_t>(in.number()));
    for (ValueElsewhere& other : finding.others) {
      other.value = in.text();
      other.process = in.number();
    }
  }
  return Report::from_parts(std::move(findings), std::move(counts));
}

void send(const std::vector<char>& bytes, int to, MPI_Comm comm) {
  const auto length = static_cast<Index>(bytes.size());
  must_succeed(MPI_Send(&length, 1, MPI_INT64_T, to, 0, comm), "MPI_Send");
  in_pieces(length, most_counted(1), [&](Index done, int count) {
    must_succeed(MPI_Send(bytes.data() + done, count, MPI_CHAR, to, 0, comm), "MPI_Send");
  });
}

std::vector<char> receive(int from, MPI_Comm comm) {
  Index length = 0;
  must_succeed(MPI_Recv(&length, 1, MPI_INT64_T, from, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv");
  std::vector<char> bytes(static_cast<std::size_t>(length));
  in_pieces(length, most_counted(1), [&](Index done, int count) {
    must_succeed(MPI_Recv(bytes.data() + done, count, MPI_CHAR, from, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv");
  });
  return bytes;
}

// Merges the reports along a binomial tree in the order of ranks, and sends the result to all. The number of findings
// that a Report keeps limits each message.
Report merge_over_all(Report report, int rank, int processes, MPI_Comm comm) {
  std::optional<Duplicate> duplicate;  // our messages must not meet the caller's
  if (!is_ours(comm)) duplicate.emplace(comm);
  MPI_Comm const apart = duplicate ? duplicate->get() : comm;
  for (int step = 1; step < processes; step *= 2) {
    if (rank % (2 * step) != 0) {
      send(to_bytes(report), rank - step, apart);
      break;
    }
    if (rank + step < processes) report.merge(from_bytes(receive(rank + step, apart)));
  }
  std::vector<char> bytes;
  if (rank == 0) bytes = to_bytes(report);
  bytes.resize(static_cast<std::size_t>(broadcast(static_cast<Index>(bytes.size()), 0, apart)));
  broadcast(bytes.data(), static_cast<Index>(bytes.size()), 0, apart);
  return from_bytes(bytes);
}

Report merge_where(bool warnings_count, Report local, bool failed, MPI_Comm comm) {
  return or_end_job("an agreement", comm, [&] {
    const auto rank = static_cast<int>(rank_of(comm));
    const int processes = processes_of(comm);
    if (failed && local.ok()) local.add({Rule::process_failure, rank, {}, "", "the process ran out of memory", "", ""});
    Index found[] = {local.errors(), local.warnings()};
    if (processes > 1) reduce(found, 2, MPI_MAX, comm);
    if (found[0] == 0 && (found[1] == 0 || !warnings_count)) return std::move(local);
    return merge_over_all(std::move(local), rank, processes, comm);
  });
}

}  // namespace

void Faults::keep_exception() noexcept {
  failed = true;
  const auto add = [&](const char* why) {
    succeeds([&] { report.add({Rule::process_failure, {}, {}, "", why, "", ""}); });
  };
  try {
    throw;
  } catch (const Error& error) {
    succeeds([&] { report.merge(error.report()); });
    if (report.ok()) add(error.what());  // an Error whose report holds warnings only
  } catch (const std::exception& error) {
    add(error.what());
  } catch (...) {
    add("an exception of unknown type");
  }
}

Index rank_of(MPI_Comm comm) {
  int rank = 0;
  must_succeed(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank;
}

Report agree(Report local, MPI_Comm comm) { return merge_where(true, std::move(local), false, comm); }

void throw_together(Report local, MPI_Comm comm) { throw_if_wrong(merge_where(false, std::move(local), false, comm)); }

void throw_faults(Faults faults, MPI_Comm comm) {
  faults.report.set_process(rank_of(comm));
  throw_if_wrong(merge_where(false, std::move(faults.report), faults.failed, comm));
}

}  // namespace tridap::mpi
