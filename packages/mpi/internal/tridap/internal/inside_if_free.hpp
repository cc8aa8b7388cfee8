#pragma once

#include <tridap/internal/duplicates.hpp>
#include <tridap/internal/state.hpp>

#include <mpi.h>

namespace tridap::mpi {

/// Lets this thread into a library for a step that does not communicate, unless another thread is in it or waits for
/// it. Local; never waits. Where MPI lets one thread in at a time, no other thread is in a library.
class InsideIfFree {
 public:
  explicit InsideIfFree(Library library) {
    if (!may_be_in_mpi_at_once() || mpi_is_over()) return;
    LibraryLocks& locks = state().locks;
    LibraryLocks::Claim claim{0, library};
    is_in_ = locks.take_if_free(claim, state().this_thread());
    locks.withdraw(claim);
    if (is_in_) entered_ = library;
  }
  InsideIfFree(const InsideIfFree&) = delete;
  InsideIfFree& operator=(const InsideIfFree&) = delete;
  ~InsideIfFree() { state().locks.give(entered_, state().this_thread()); }

  explicit operator bool() const { return is_in_; }

 private:
  Libraries entered_;
  bool is_in_ = true;
};

}  // namespace tridap::mpi
