#include <tridap/index.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/internal/wait.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/report.hpp>

#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace tridap::mpi {

namespace {

constexpr Index most_classes = Index{1} << 31;  // an error class is an int

Error failure(int code, const char* function, std::optional<Index> process) {
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  std::string what = std::string(function) + " failed";
  if (MPI_Error_string(code, text, &length) == MPI_SUCCESS) what += ": " + std::string(text, text + length);
  return Error(Finding{Rule::process_failure, process, {}, "", std::move(what), "", ""});
}

}  // namespace

namespace detail {

void call_failed(int status, const char* function) { throw failure(status, function, {}); }

}  // namespace detail

void must_succeed_everywhere(int status, const char* function, MPI_Comm comm) {
  Index failed = -1;  // the highest rank that failed, and its error class, which means the same on every process
  if (status != MPI_SUCCESS) {
    int kind = MPI_ERR_UNKNOWN;
    must_succeed(MPI_Error_class(status, &kind), "MPI_Error_class");
    failed = rank_of(comm) * most_classes + kind;
  }
  failed = reduced(failed, MPI_MAX, comm);
  if (failed >= 0) throw failure(static_cast<int>(failed % most_classes), function, failed / most_classes);
}

void wait_for(std::vector<MPI_Request>& requests) {
  wait_until([&] {
    int all = 0;
    must_succeed(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE),
                 "MPI_Testall");
    return all != 0;
  });
}

Duplicate::Duplicate(MPI_Comm comm) : exceptions_(std::uncaught_exceptions()) {
  MPI_Comm made = MPI_COMM_NULL;
  const int status = MPI_Comm_dup(comm, &made);
  must_succeed_everywhere(status, "MPI_Comm_dup", comm);
  comm_ = made;
}

Duplicate::~Duplicate() {
  if (comm_ != MPI_COMM_NULL && std::uncaught_exceptions() == exceptions_)
    MPI_Comm_free(&comm_);  // the status is ignored, because a destructor must not throw
}

MPI_Comm Duplicate::release() { return std::exchange(comm_, MPI_COMM_NULL); }

}  // namespace tridap::mpi
