#pragma once

#include <tridap/gather_distribution.hpp>

#include <mpi.h>

namespace tridap::mpi {

/// Checks an array, of which every process gives its own part. Every process gets the same Report, warnings included.
/// **Collective**, with the same `reading` on every process. It never hangs, whatever a process gives.
///
/// The amount of communication is proportional to the sum of `proc_grid_size` over the axes. On an unstructured axis,
/// processes at the same coordinate also compare their lists. If the axis claims `one_to_one`, or its `size` is not the
/// sum of its lists, the indices are also exchanged, distributed over the processes by their hash.
Report check(const DistArray& array, MPI_Comm comm, const Reading& reading = {});

/// Makes the Distribution that the dim_data of all processes describe together, after the same check. **Collective**:
/// throws the same Error on every process or on none. Rank `r` of `comm` is process `r` of the Distribution.
///
/// Every process gets all index lists of unstructured axes. If there are few processes and axes, no index on several
/// processes and nothing to report, this takes one message from each process to all, and for lists one reduction for
/// each unstructured axis and one more.
Distribution gather_distribution(const DistArray& array, MPI_Comm comm, const Reading& reading = {});

}  // namespace tridap::mpi
