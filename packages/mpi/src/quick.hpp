#pragma once

#include <dap/check.hpp>
#include <dap/distribution.hpp>
#include <dap/mpi/gather.hpp>

#include <mpi.h>

#include <optional>

namespace dap::mpi {

/// The Distribution in one message, where nothing about the array is doubtful: no error and no warning anywhere, few
/// axes, few processes, nothing unstructured. Then `flags` becomes what every process has set. Nothing where anything
/// is: dap::confer() then finds out what. **Collective**: all processes get a Distribution, or none.
std::optional<Distribution> quick_gather(const DistArray& array, MPI_Comm comm, const Reading& reading, Index& flags);

}  // namespace dap::mpi
