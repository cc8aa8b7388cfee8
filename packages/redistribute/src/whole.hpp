#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>

#include <mpi.h>

#include <optional>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// The same distribution, of which whole_of() is known on every process: where the indices of lists that stay on their
/// processes have gaps, their positions among the different indices take their place. **Collective** over the processes
/// of the distribution if it has such lists: six collective calls of MPI for each such axis, and two more. Throws the
/// same Error on every process or on none.
Distribution by_position(const Distribution& distribution, MPI_Comm comm);

/// Gives back to `whole`, on rank `root`, or on every process if there is none, the indices of the axes that
/// by_position() has changed. **Collective**, and throws, as by_position().
void name_indices(DistArray& whole, const Distribution& distribution, MPI_Comm comm, std::optional<int> root);

}  // namespace tridap::redistribute

#pragma GCC visibility pop
