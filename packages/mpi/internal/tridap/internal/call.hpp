#pragma once

#include <mpi.h>

namespace tridap::mpi {

namespace detail {

[[noreturn]] void call_failed(int status, const char* function);

}  // namespace detail

/// Throws an Error that names the function and what MPI says, where a call of MPI did not succeed: one returns where
/// the communicator's error handler is MPI_ERRORS_RETURN, which mpi4py sets, and otherwise ends the program. Local: the
/// other processes may wait for this one, and only who set the handler can end them.
inline void must_succeed(int status, const char* function) {
  if (status != MPI_SUCCESS) detail::call_failed(status, function);
}

/// The same for a call that every process of `comm` has made, and that may have failed on some: throws the same Error
/// on every process or on none. **Collective**: one reduction of a number.
void must_succeed_everywhere(int status, const char* function, MPI_Comm comm);

/// A duplicate of a communicator, freed with its owner: messages there do not meet the caller's. **Collective**, and so
/// is its destruction; throws the same Error on every process or on none. An exception may be of this process alone:
/// where one destroys it, it stays with MPI.
class Duplicate {
 public:
  explicit Duplicate(MPI_Comm comm);
  Duplicate(const Duplicate&) = delete;
  Duplicate& operator=(const Duplicate&) = delete;
  ~Duplicate();

  MPI_Comm get() const { return comm_; }
  /// It is the caller's to free now.
  MPI_Comm release();

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int exceptions_;
};

}  // namespace tridap::mpi
