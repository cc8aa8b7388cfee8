#pragma once

#include <tridap/internal/directory.hpp>
#include <tridap/mpi/gather_distribution.hpp>

#include <mpi.h>

namespace on {

/// gather_distribution(), and all lists if they are in a directory: TRIDAP_MOST_LISTED lets tests run so.
/// **Collective.**
inline tridap::Distribution gathered_whole(const tridap::DistArray& array, MPI_Comm comm,
                                           const tridap::Reading& reading = {}) {
  const tridap::Distribution distribution = tridap::mpi::gather_distribution(array, comm, reading);
  return tridap::mpi::has_directory(distribution) ? tridap::mpi::completed(distribution, comm) : distribution;
}

}  // namespace on
