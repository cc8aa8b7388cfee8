#pragma once

#include <tridap/mpi/gather_distribution.hpp>

#include <mpi.h>

namespace tridap::mpi {

/// gather_distribution() that also combines `flags`, unless it is null, by bitwise AND over all processes: a bit
/// remains set if every process had set it. If the array is right and the processes are few, this needs no more
/// messages than gather_distribution().
Distribution gather_with_flags(const DistArray& array, MPI_Comm comm, const Reading& reading, Index* flags);

/// The same inside of a Call on `comm`, which is its duplicate.
Distribution gather_inside(const DistArray& array, MPI_Comm comm, const Reading& reading, Index* flags);

}  // namespace tridap::mpi
