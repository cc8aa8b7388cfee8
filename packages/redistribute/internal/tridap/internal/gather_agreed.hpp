#pragma once

#include <tridap/device_stream.hpp>
#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>

#include <mpi.h>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace tridap::redistribute {

/// The extents of whole_of(distribution), which also a process knows that lacks lists of the other processes.
std::vector<Index> whole_shape(const Distribution& distribution);

/// What gather() does, or what allgather() does if there is no root, inside of a call that has begun. All processes
/// know the array's distribution and have agreed on the root. **Collective**: in one reduction, and a broadcast if
/// there is no root and several nodes; with lists that stay on their processes in more.
DistArray gather_agreed(const DistArray& array, const Distribution& distribution, MPI_Comm comm,
                        std::optional<int> root, DeviceStream stream = {});

/// What scatter() does, inside of a call that has begun. `give()` returns the whole array on the root, and this
/// process's part, into which its elements are moved; if it throws, it is an Error on every process. All processes have
/// agreed on the rest. **Collective**, as gather_agreed().
void scatter_agreed(const ElementType& type, const Distribution& distribution, MPI_Comm comm, int root,
                    DeviceStream stream, const std::function<std::pair<DistArray, DistArray>()>& give);

}  // namespace tridap::redistribute
