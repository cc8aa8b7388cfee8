#pragma once

#include <tridap/device_stream.hpp>
#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>

#include <mpi.h>

#include <vector>

namespace tridap::redistribute {

/// The distribution of the same array on one process, as gather() makes it. Block and cyclic axes become axes that are
/// not distributed. An unstructured axis keeps its distinct indices in ascending order. If these are 0, 1, 2, ...
/// without gaps, the axis is not distributed; otherwise it is unstructured over one process. Communication padding is
/// left out.
Distribution whole_of(const Distribution& distribution);

/// Gathers the elements of an array on rank `root`, in row-major order; every other process gets DistArray{}.
/// **Collective**: throws the same Error on every process or on none. It throws if the processes give different roots.
/// `stream`, here and below: on which an array on a device was last written; the call waits for it.
DistArray gather(const DistArray& array, MPI_Comm comm, int root = 0, DeviceStream stream = {});
/// The same for an array of this `distribution`, which you keep from mpi::gather_distribution(). It makes 2
/// reductions, because it need not find the distribution; more if lists stay on their processes. Each rank of `comm`
/// has the part of the process of its number. It also throws if the distributions differ between processes, or if an
/// array is not of its distribution.
DistArray gather(const DistArray& array, const Distribution& distribution, MPI_Comm comm, int root = 0,
                 DeviceStream stream = {});

/// Gathers the elements of an array on every process, in row-major order. Each process owns its own copy. Between nodes
/// of more than 8 processes in all, or if lists stay on their processes, they come to rank 0 and from there to all.
/// **Collective**, as gather(), and then in a broadcast.
DistArray allgather(const DistArray& array, MPI_Comm comm, DeviceStream stream = {});
/// The same for an array of this `distribution`, as gather() with a distribution.
DistArray allgather(const DistArray& array, const Distribution& distribution, MPI_Comm comm, DeviceStream stream = {});

/// Distributes the array `whole` of rank `root`, whose distribution is whole_of(distribution). The `whole` of other
/// processes is not read. Rank `r` of `comm` gets the part of process `r` of `distribution`; its communication padding
/// is zero. **Collective**, as gather().
DistArray scatter(const DistArray& whole, const Distribution& distribution, MPI_Comm comm, int root = 0,
                  DeviceStream stream = {});

}  // namespace tridap::redistribute
