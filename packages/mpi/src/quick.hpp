#pragma once

#include <tridap/check.hpp>
#include <tridap/distribution.hpp>
#include <tridap/internal/collective_check.hpp>
#include <tridap/mpi/gather_distribution.hpp>

#include <mpi.h>

#include <optional>

namespace tridap::mpi {

/// The Distribution in one message, where nothing about the array is doubtful: no error and no warning anywhere, few
/// axes, few processes, nothing unstructured. Then `flags` becomes what every process has set. Nothing where anything
/// is: tridap::check_collectively() then finds out what. **Collective**: all processes get a Distribution, or none.
std::optional<Distribution> quick_gather(const DistArray& array, MPI_Comm comm, const Reading& reading, Index& flags);

}  // namespace tridap::mpi
