#pragma once

#include <stdexcept>

namespace mpi_abort {

/// What a library's call of MPI_Abort throws in programs that link support/mpi_abort.cpp: a call of Global Arrays or of
/// the BLACS that would end the program. What was wrong the library has said on stderr before.
///
/// It fails the test of the process alone whose call it was: the others must not wait for that process.
struct Aborted : std::runtime_error {
  using runtime_error::runtime_error;
};

}  // namespace mpi_abort
