#pragma once

#include <tridap/mpi/gather_distribution.hpp>

#include <mpi.h>

namespace tridap::mpi {

/// gather_distribution(). `flags` are combined by bitwise AND over all processes: a bit remains set where every process
/// had set it. This needs no more messages than gather_distribution() if the array is right.
Distribution gather_with_flags(const DistArray& array, MPI_Comm comm, const Reading& reading, Index& flags);

}  // namespace tridap::mpi
