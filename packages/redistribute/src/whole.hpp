#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>

#include <mpi.h>

#include <optional>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// Whether by_position() would change the distribution: lists that stay on their processes do not count from 0. Local;
/// the same on every process.
bool needs_positions(const Distribution& distribution);

/// The same distribution, of which whole_of() is known on every process: where the indices of lists that stay on their
/// processes have gaps, their positions among the different indices take their place. **Collective** over the processes
/// of the distribution if needs_positions(): six collective calls of MPI for each axis with gaps, and two more. Throws
/// the same Error on every process or on none.
Distribution by_position(const Distribution& distribution, MPI_Comm comm);

/// whole_of(distribution) on rank `root`, or on every process if there is none. Other processes do not have the indices
/// of lists that by_position() changes, and get a block in place of each. **Collective** if needs_positions(): an
/// exchange for each such axis. Throws the same Error on every process or on none.
Distribution named_whole(const Distribution& distribution, MPI_Comm comm, std::optional<int> root);

}  // namespace tridap::redistribute

#pragma GCC visibility pop
