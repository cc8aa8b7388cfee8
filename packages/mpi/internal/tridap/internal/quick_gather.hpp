#pragma once

#include <tridap/check.hpp>
#include <tridap/distribution.hpp>
#include <tridap/internal/collective_check.hpp>
#include <tridap/mpi/gather_distribution.hpp>

#include <mpi.h>

#include <optional>

namespace tridap::mpi {

/// Makes the Distribution with one message from each process, for the simple case: no error and no warning on any
/// process, few axes, few processes. For each unstructured axis, a reduction brings the lists to all, and one more
/// agrees that all could read them; an index that several coordinates share is not simple. In any other case the result
/// is empty, and tridap::check_collectively() must find out more. `flags`, unless it is null, becomes the bitwise AND
/// over all processes in each case.
/// **Collective**: every process gets a Distribution, or none does.
///
/// `array` is null on a process that has none, or none that is right.
/// `want_lists`: whether every process may hold the lists of all; the same on every process. If not, an array with an
/// unstructured axis is not simple.
std::optional<Distribution> quick_gather(const DistArray* array, MPI_Comm comm, const Reading& reading, Index* flags,
                                         bool want_lists = true);

}  // namespace tridap::mpi
