#pragma once

#include <tridap/buffer.hpp>
#include <tridap/flat_numbers.hpp>

#include <mpi.h>

#include <memory>

namespace tridap::mpi {

/// Allocates this process's part of an array in memory that the other processes of its node reach, in dense row-major
/// or column-major order; the shapes may differ between processes. The elements are not set: they are zeros from the
/// system, or what an array before left there. The memory is a piece of a pool that stays with the communicator, see
/// allocate_shared_bytes(); the buffer's owner holds it.
///
/// **Collective**: throws the same Error on every process or on none.
Buffer allocate_shared(const ElementType& type, const IndexList& shape, MPI_Comm comm, Order order = Order::row_major);

}  // namespace tridap::mpi
