#pragma once

#include <tridap/redistribute/relabel.hpp>

#include <mpi.h>

namespace tridap::redistribute {

/// The result of relabel_collectively().
struct Relabelled {
  Relabelling relabelling;
  MPI_Comm comm = MPI_COMM_NULL;  ///< new; the caller must free it
};
/// relabel() over the processes of a communicator. It also makes a new communicator in which rank `p` holds the
/// target's part `p`; the caller must free it. **Collective**: throws the same Error on every process or on none. It is
/// not an overload of relabel(), because an MPI_Comm of MPICH is an integer, as `processes` is.
Relabelled relabel_collectively(const PlacedDistribution& source, const PlacedDistribution& target, Index element_bytes,
                                MPI_Comm comm, const Mapping& mapping = {}, Index most_pairs = default_most_pairs);

}  // namespace tridap::redistribute
