#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>

#include <mpi.h>

#include <optional>

namespace tridap::redistribute {

/// gather(), and without a root allgather(), for a call that has begun and whose processes know the array's
/// distribution and agree on the root. **Collective**, in one reduction.
DistArray gather_agreed(const DistArray& array, const Distribution& distribution, MPI_Comm comm,
                        std::optional<int> root);

}  // namespace tridap::redistribute
