#pragma once

#include <tridap/report.hpp>

#include <mpi.h>

#include <optional>
#include <type_traits>
#include <utility>

namespace tridap::mpi {

/// What every process found, in the order of their ranks: the same Report on every process. **Collective.**
/// One reduction of two numbers where nobody found anything.
Report agree(Report local, MPI_Comm comm);

/// Throws the same Error on every process where any process's report holds an error. **Collective.** A process without
/// the memory to read that Error throws std::bad_alloc.
void throw_together(Report local, MPI_Comm comm);

/// Our rank in `comm`.
Index rank_of(MPI_Comm comm);

/// What local steps of this process threw, told as far as there is memory to tell it.
struct Faults {
  Report report;
  bool failed = false;  ///< also where the report says nothing

  bool ok() const { return !failed && report.ok(); }
  /// Runs a step, and keeps what it throws. Throws nothing.
  template <class Step>
  void attempt(Step&& step) {
    try {
      std::forward<Step>(step)();
    } catch (...) {
      keep_exception();
    }
  }

 private:
  void keep_exception() noexcept;  // the one that is being handled
};

/// throw_together() for what a process may have no memory to report; the findings name this process. **Collective.**
void throw_faults(Faults faults, MPI_Comm comm);

/// Runs a local step on every process; where it throws on any, the same Error is thrown on all. **Collective**; the
/// step itself must not communicate.
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
