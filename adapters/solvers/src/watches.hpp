#pragma once

#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/solvers/solve.hpp>

#include <exception>
#include <utility>

#pragma GCC visibility push(hidden)

namespace tridap::solvers {

/// The watches of all processes, whose answers are combined: if one of them stops the iteration, all processes stop.
class Watches {
 public:
  Watches(const Watch& watch, bool watched, MPI_Comm comm) : watch_(watch), watched_(watched), comm_(comm) {}

  /// Calls the watches; returns whether the iteration stops. **Collective** if `watched`; else does nothing.
  bool ask(int iteration, double residual) {
    if (!watched_) return false;
    int stop = 0;
    try {
      const mpi::Callback user;
      if (watch_ && watch_(iteration, residual)) stop = 1;
    } catch (...) {
      thrown_ = std::current_exception();
      stop = 1;
    }
    stopped_ = mpi::reduced(stop, MPI_MAX, comm_) != 0;
    return stopped_;
  }
  bool stopped() const { return stopped_; }

  /// Throws on every process what a watch threw on any process. **Collective** if the iteration was stopped.
  void rethrow() const {
    if (stopped_)
      mpi::collectively(comm_, [this] {
        if (thrown_) std::rethrow_exception(thrown_);
      });
  }

 private:
  const Watch& watch_;
  bool watched_;
  MPI_Comm comm_;
  bool stopped_ = false;
  std::exception_ptr thrown_;
};

}  // namespace tridap::solvers

#pragma GCC visibility pop
