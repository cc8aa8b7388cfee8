#pragma once

#include <mpi.h>

namespace tridap::mpi {

namespace detail {

[[noreturn]] void call_failed(int status, const char* function);

}  // namespace detail

/// Throws an Error with the function's name and MPI's own message if a call of MPI failed. A failed call returns only
/// if the communicator's error handler is MPI_ERRORS_RETURN, which mpi4py sets; otherwise MPI ends the program.
///
/// Local. The other processes may then wait for this one; the code that set the error handler must end them.
inline void must_succeed(int status, const char* function) {
  if (status != MPI_SUCCESS) detail::call_failed(status, function);
}

/// The same for a call that every process of `comm` has made and that may have failed on some of them. **Collective**:
/// throws the same Error on every process or on none. Costs one reduction of one number.
void must_succeed_everywhere(int status, const char* function, MPI_Comm comm);

/// A duplicate of a communicator, so that our messages cannot be confused with the caller's. The destructor frees it.
/// **Collective**, and so is its destruction. The constructor throws the same Error on every process or on none.
///
/// If it is destroyed during stack unwinding, it does not free the communicator, because the exception may have
/// occurred on this process alone.
class Duplicate {
 public:
  explicit Duplicate(MPI_Comm comm);
  Duplicate(const Duplicate&) = delete;
  Duplicate& operator=(const Duplicate&) = delete;
  ~Duplicate();

  MPI_Comm get() const { return comm_; }
  /// Gives up the communicator; the caller must free it.
  MPI_Comm release();

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int exceptions_;
};

}  // namespace tridap::mpi
