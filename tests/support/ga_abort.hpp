#pragma once

#include <stdexcept>

namespace ga_abort {

/// What a call of Global Arrays throws in these tests where it would end the program: ga_abort.cpp has an MPI_Abort
/// that does. What was wrong GA has said on stderr before.
///
/// It fails the test of the process alone whose call it was: the others must not wait for that process.
struct Aborted : std::runtime_error {
  using runtime_error::runtime_error;
};

}  // namespace ga_abort
