#pragma once

#include "support/ranks.hpp"
#include "support/thrown.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

namespace different_calls {

/// A collective call, and its name in messages.
struct Named {
  std::string name;
  std::function<void()> call;
};

/// Rank 0 makes one call and the others another one: every process gets the Error that names both. Then all make each
/// call together. **Collective**, over at least 2 processes.
inline void expect_errors(const std::vector<Named>& calls, MPI_Comm comm = MPI_COMM_WORLD) {
  const int rank = on::rank(comm);
  const std::string others = on::processes(comm) == 2 ? ", rank 1 calls " : ", the others call ";
  for (const Named& first : calls)
    for (const Named& other : calls) {
      if (&first == &other) continue;
      const std::string error = on::error_text(rank == 0 ? first.call : other.call);
      EXPECT_EQ(error.substr(0, error.find(", must be the same collective call")),
                "rank 0 calls " + first.name + others + other.name);
    }
  for (const Named& each : calls) EXPECT_EQ(on::error_text(each.call), "") << each.name;
}

}  // namespace different_calls
