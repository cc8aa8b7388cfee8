#pragma once

#include "support/claims.hpp"
#include "support/options.hpp"

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

namespace examples {

/// An example's main: starts MPI and Kokkos, reads the options, runs `job` on MPI_COMM_WORLD, and prints its error as
/// one line on standard error. The status is the same on every process. All processes throw a tridap::Error together,
/// and end normally. Any other exception may be on one process only, and ends all processes by MPI_Abort.
int run(int argc, char** argv, const std::function<void(const Options&, MPI_Comm)>& job);

/// The same for a job whose command line has only `options` and --progress. `what` describes the program for --help.
int run(int argc, char** argv, const std::string& what, const std::vector<Option>& options,
        const std::function<void(Claims&)>& job);

}  // namespace examples
