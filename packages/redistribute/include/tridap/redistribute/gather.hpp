#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>

#include <mpi.h>

#include <vector>

namespace tridap::redistribute {

/// The whole of an array in one place: undistributed axes, and of an unstructured axis its distinct indices in
/// ascending order: undistributed too where these are 0, 1, 2, ... without gaps, else unstructured over one process.
/// The communication padding of the parts is left out.
Distribution whole_of(const Distribution& distribution);

/// The whole array on `root`, row-major; DistArray{} on all other processes. **Collective**: throws the same Error on
/// every process or on none, also where one of them gives another `root`.
DistArray gather(const DistArray& array, MPI_Comm comm, int root = 0);

/// The whole array on every process, row-major, each with memory of its own. **Collective**, as gather().
DistArray allgather(const DistArray& array, MPI_Comm comm);

/// The parts of an array that `root` has whole (whole_of()); what the others give is not read. Each process's part is
/// that of its rank in `distribution`, its padding zero. **Collective**, as gather().
DistArray scatter(const DistArray& whole, const Distribution& distribution, MPI_Comm comm, int root = 0);

}  // namespace tridap::redistribute
