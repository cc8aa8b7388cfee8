#pragma once

#include "support/claims.hpp"
#include "support/options.hpp"

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

namespace examples {

/// An example's main: starts MPI and Kokkos, reads the options, runs `job` on MPI_COMM_WORLD, and prints its error as
/// one line on standard error. The status is the same on every process. A tridap::Error ends every process in order;
/// any other exception, which others may not know of, ends the whole run.
int run(int argc, char** argv, const std::function<void(const Options&, MPI_Comm)>& job);

/// The same for a job whose command line has no more than `options` and --progress; `what` says for --help what the
/// program does.
int run(int argc, char** argv, const std::string& what, const std::vector<Option>& options,
        const std::function<void(Claims&)>& job);

}  // namespace examples
