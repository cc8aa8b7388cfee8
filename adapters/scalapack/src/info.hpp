#pragma once

#include <mpi.h>

#pragma GCC visibility push(hidden)

namespace tridap::scalapack {

/// What a positive INFO of a routine means.
enum class Positive {
  zero_pivot,     ///< P?GETRF: the number of a pivot that is exactly 0
  not_definite,   ///< P?POTRF: the order of a leading minor that is not positive
  not_converged,  ///< P?SYEV, P?HEEV, P?GESVD; after the last number: the processes have different values
};

/// What a routine ended with.
struct Ended {
  char letter;          ///< of the element type, such as 'D'
  const char* routine;  ///< without its first two letters, such as "GETRF"
  int info;
  Positive positive = Positive::not_converged;
  long values = 0;  ///< of a factorization that may not converge: how many it computes
};

/// Throws an Error if INFO is not 0 on some process: the name of the routine, and which argument was wrong or what
/// happened. **Collective**: throws the same Error on every process or on none.
void must_succeed(const Ended& ended, MPI_Comm comm);
/// The same on this process alone. Local.
void must_succeed_here(const Ended& ended);

}  // namespace tridap::scalapack

#pragma GCC visibility pop
