#pragma once

#include <tridap/buffer.hpp>
#include <tridap/flat_numbers.hpp>

#include <mpi.h>

#include <memory>

namespace tridap::mpi {

/// Allocates this process's part of an array in memory that all processes of its node can access. The buffer is
/// contiguous, in row-major or column-major order. `shape` counts elements, and may differ between processes.
///
/// The elements are not initialised: they are zero, or hold the values of an earlier array. The memory belongs to a
/// pool that is attached to the communicator. The buffer's owner keeps it allocated. Releasing the owner is local, and
/// returns the memory to the pool.
///
/// **Collective**: throws the same Error on every process or on none.
Buffer allocate_shared(const ElementType& type, const IndexList& shape, MPI_Comm comm, Order order = Order::row_major);

}  // namespace tridap::mpi
