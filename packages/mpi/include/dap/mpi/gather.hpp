#pragma once

#include <dap/dist_array.hpp>
#include <dap/distribution.hpp>
#include <dap/report.hpp>

#include <mpi.h>

namespace dap::mpi {

/// Checks an array with every process's part of it: the same Report, warnings included, on every process.
/// **Collective.** It never hangs, whatever one process holds. Communicates in proportion to the sum of the axes'
/// process counts, plus the index lists of unstructured axes.
Report check(const DistArray& array, MPI_Comm comm);

/// The Distribution that every process's dim_data make up, after the same check. **Collective**: throws the same Error
/// on every process or on none. Rank `r` of `comm` is process `r` of the Distribution.
Distribution gather(const DistArray& array, MPI_Comm comm);

}  // namespace dap::mpi
