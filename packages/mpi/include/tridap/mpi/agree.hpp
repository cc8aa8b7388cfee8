#pragma once

#include <tridap/report.hpp>

#include <mpi.h>

#include <optional>
#include <type_traits>
#include <utility>

namespace tridap::mpi {

/// Merges the reports of all processes, in the order of their ranks. Every process gets the same Report.
/// **Collective.** If no process found anything, this costs one reduction of two numbers.
Report agree(Report local, MPI_Comm comm);

/// Throws the same Error on every process if the report of any process holds an error. **Collective.** If a process has
/// too little memory to read that Error, it ends the job with one line, as in every agreement here.
void throw_together(Report local, MPI_Comm comm);

/// The rank of this process in `comm`.
Index rank_of(MPI_Comm comm);

/// Collects what local steps of this process threw. If memory runs out, the report may lack some of it.
struct Faults {
  Report report;
  bool failed = false;  ///< a step threw; true even if there was no memory to report it

  bool ok() const { return !failed && report.ok(); }
  /// Runs a step and keeps what it throws. This function itself throws nothing.
  template <class Step>
  void attempt(Step&& step) {
    try {
      std::forward<Step>(step)();
    } catch (...) {
      keep_exception();
    }
  }

 private:
  void keep_exception() noexcept;  // keeps the exception that is being handled
};

/// Throws the same Error on every process if any process has faults, even if a process had no memory to report them.
/// Each finding names its process. **Collective.**
void throw_faults(Faults faults, MPI_Comm comm);

/// Runs a local step on every process. If it throws on any process, the same Error is thrown on all. **Collective.**
/// The step itself must not communicate.
template <class Step>
auto collectively(MPI_Comm comm, Step&& step) -> std::invoke_result_t<Step> {
  using Result = std::invoke_result_t<Step>;
  Faults faults;
  if constexpr (std::is_void_v<Result>) {
    faults.attempt(std::forward<Step>(step));
    throw_faults(std::move(faults), comm);
  } else {
    std::optional<Result> result;
    faults.attempt([&] { result.emplace(std::forward<Step>(step)()); });
    throw_faults(std::move(faults), comm);
    return std::move(*result);
  }
}

}  // namespace tridap::mpi
