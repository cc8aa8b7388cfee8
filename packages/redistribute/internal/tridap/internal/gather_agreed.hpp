#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>

#include <mpi.h>

#include <optional>

namespace tridap::redistribute {

/// What gather() does, or what allgather() does if there is no root, inside of a call that has begun. All processes
/// know the array's distribution and have agreed on the root. **Collective**, in one reduction, or in two with lists.
DistArray gather_agreed(const DistArray& array, const Distribution& distribution, MPI_Comm comm,
                        std::optional<int> root, DeviceStream stream = {});

}  // namespace tridap::redistribute
