#include <tridap/c/status.hpp>
#include <tridap/c/words.hpp>
#include <tridap/detail/say.hpp>
#include <tridap/text.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

namespace tridap::c {

namespace {

struct Failure {
  Report report;
  std::string text;
  Speaker speaker = Speaker::this_one;
};

Failure& failure() {
  thread_local Failure of_thread;
  return of_thread;
}

void keep_report(Report report) {
  Failure& kept = failure();
  kept.text = in_c(report).text();
  kept.report = std::move(report);
  kept.speaker = Speaker::this_one;
}

Report report_of(std::string fault) {
  Report report;
  Finding finding;
  finding.value = std::move(fault);
  report.add(std::move(finding));
  return report;
}

// What the program has not released is released when MPI ends.
void release_at_finalize() {
  static const bool once = [] {
    mpi::when_mpi_ends(release_all);
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace

int keep_failure() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    keep_report(error.report());
    const auto& counts = error.report().counts();
    const bool failed = counts.size() == 1 && counts.begin()->first == Rule::process_failure;
    return failed ? TRIDAP_FAILED : TRIDAP_WRONG;
  } catch (const std::bad_alloc&) {
    keep_report(report_of("memory for elements has run out"));
    return TRIDAP_NO_MEMORY;
  } catch (const std::exception& error) {
    keep_report(report_of(error.what()));
    return TRIDAP_FAILED;
  } catch (...) {
    keep_report(report_of("a function has thrown something that is no std::exception"));
    return TRIDAP_FAILED;
  }
}

int keep_failure_of_all(const Comm& comm) noexcept {
  const int status = keep_failure();
  const MPI_Comm caller = comm->caller();
  if (caller == MPI_COMM_NULL && !comm->is_made()) return status;  // no collective call has begun
  int rank = 0;
  if (MPI_Comm_rank(caller != MPI_COMM_NULL ? caller : comm->ours(), &rank) != MPI_SUCCESS) return status;
  Failure& kept = failure();
  Index lowest = comm->processes();  // of those that the faults name; all processes have the same report
  for (const Finding& finding : kept.report.findings())
    if (finding.severity() == Severity::error && finding.process && *finding.process >= 0)
      lowest = std::min(lowest, *finding.process);
  kept.speaker = rank == lowest % comm->processes() ? Speaker::first_of_all : Speaker::not_this_one;
  return status;
}

const Report& last_failure() { return failure().report; }

Speaker speaker_of_last_failure() { return failure().speaker; }

namespace {

Report& checked() {
  thread_local Report of_thread;
  return of_thread;
}

}  // namespace

void keep_checked(const Report& report) { checked() = report; }

const Report& last_checked() { return checked(); }

void need_mpi() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized == 0) refuse("MPI is not initialised", "must be", "call MPI_Init first");
  if (finalized != 0) refuse("MPI is finalised", "must not be", "make the call before MPI_Finalize");
  release_at_finalize();
}

Comm comm_of(MPI_Comm comm) {
  need_mpi();
  return mpi::duplicates_of(comm);
}

// What has been called with this communicator collectively has made ours.
Index rank_in(const Comm& comm) {
  return mpi::rank_of(comm->caller() != MPI_COMM_NULL ? comm->caller() : comm->ours());
}

Comm comm_of(std::initializer_list<std::uint64_t> numbers) {
  for (const std::uint64_t number : numbers)
    if (Comm found = communicator_of(number)) return found;
  if (Comm last = last_communicator()) return last;
  return comm_of(MPI_COMM_WORLD);
}

Comm comm_of(int count, const tridap_array* arrays) {
  for (int i = 0; i < count && arrays != nullptr; ++i)
    if (Comm found = communicator_of(arrays[i].number)) return found;
  return comm_of({});
}

void object_to_call(const Comm& comm, const char* name, mpi::Libraries libraries, mpi::Faults why) {
  const mpi::Call call(comm->caller_or_ours(), name, libraries,
                       [&](mpi::Record& record) { record.faults = std::move(why); });
  throw std::bad_alloc();  // the call has thrown
}

void end_job_with_message(const char* name, const Comm& comm) noexcept {
  int rank = 0;
  const MPI_Comm of = comm != nullptr && comm->caller() != MPI_COMM_NULL ? comm->caller() : MPI_COMM_WORLD;
  MPI_Comm_rank(of, &rank);
  say("rank %d cannot take part in %s, and the other processes may wait for it; this ends the job: %s", rank, name,
      tridap_message());
  MPI_Abort(of, EXIT_FAILURE);
  std::abort();
}

void write_text(const std::string& text, char* to, size_t size, size_t* length) {
  if (length != nullptr) *length = text.size();
  if (size == 0) return;
  need(to, "text");
  const std::string cut = shortened(text, size - 1);
  std::memcpy(to, cut.data(), cut.size());
  to[cut.size()] = '\0';
}

void write_receipt(const Receipt& receipt, tridap_receipt* to) {
  if (to == nullptr) return;
  to->shared = receipt.shared ? 1 : 0;
  to->same_address = receipt.same_address ? 1 : 0;
  to->bytes_copied = receipt.bytes_copied;
  to->bytes_synchronized = receipt.bytes_synchronized;
  to->seconds = receipt.seconds;
  write_text(receipt.text(), to->text, sizeof to->text, nullptr);
}

}  // namespace tridap::c

using namespace tridap::c;

const char* tridap_message(void) { return failure().text.c_str(); }

const char* tridap_version(void) { return dap_library_version(); }

int tridap_release(uint64_t number) {
  return locally([&] { release(number); });
}

int64_t tridap_held(void) { return held(); }
