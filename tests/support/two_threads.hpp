#pragma once

#include "support/ranks.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <exception>
#include <functional>
#include <string>
#include <thread>

namespace two_threads {

/// Calls `body(communicator, number)` in two threads of each process, each with a communicator of its own. On processes
/// of odd rank the second one starts first. What a thread throws fails the test.
inline void run(const std::function<void(MPI_Comm, int)>& body) {
  std::array<MPI_Comm, 2> comms{MPI_COMM_NULL, MPI_COMM_NULL};
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::array<std::string, 2> errors;
  const auto guarded = [&](int which) {
    const auto at = static_cast<std::size_t>(which);
    try {
      body(comms[at], which);
    } catch (const std::exception& error) {
      errors[at] = error.what();
    }
  };
  const int first = on::rank(MPI_COMM_WORLD) % 2;
  std::thread one(guarded, first), other(guarded, 1 - first);
  one.join();
  other.join();
  for (const std::string& error : errors) EXPECT_EQ(error, "");
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

}  // namespace two_threads
