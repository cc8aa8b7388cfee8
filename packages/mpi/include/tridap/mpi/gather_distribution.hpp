#pragma once

#include <tridap/gather_distribution.hpp>

#include <mpi.h>

namespace tridap::mpi {

/// Checks an array with every process's part of it: the same Report, warnings included, on every process.
/// **Collective**, with the same `reading` on every process. It never hangs, whatever one process holds. Communicates
/// in proportion to the sum of the axes' process counts; the indices of unstructured axes travel as
/// tridap::check_collectively() says.
Report check(const DistArray& array, MPI_Comm comm, const Reading& reading = {});

/// The Distribution that every process's dim_data make up, after the same check. **Collective**: throws the same Error
/// on every process or on none. Rank `r` of `comm` is process `r` of the Distribution. Brings the lists of unstructured
/// axes to every process. One message from each to all where there are few processes and axes, nothing unstructured and
/// nothing to report.
Distribution gather_distribution(const DistArray& array, MPI_Comm comm, const Reading& reading = {});

}  // namespace tridap::mpi
