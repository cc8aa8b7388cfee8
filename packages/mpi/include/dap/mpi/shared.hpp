#pragma once

#include <dap/buffer.hpp>
#include <dap/flat_numbers.hpp>

#include <mpi.h>

#include <memory>

namespace dap::mpi {

/// Allocates this process's part of an array in memory that the other processes of its node reach, zeroed or with what
/// an array before left there, in dense row-major or column-major order; the shapes may differ between processes, the
/// rest may not. It is a piece of a pool that stays with the communicator: letting go of the last owner is local, and
/// marks the piece free; the pool gives memory back to the system when the communicator is freed.
///
/// **Collective**: throws the same Error on every process or on none. A piece is taken again where it is free and large
/// enough on every process, so that its pages are there already.
Buffer allocate_shared(ElementType type, const std::vector<Index>& shape, MPI_Comm comm,
                       Order order = Order::row_major);

/// One piece of a pool: memory of each process, under one number.
class SharedPiece {
 public:
  virtual ~SharedPiece() = default;
  virtual Index number() const = 0;                ///< the same on every process, and another one for each piece
  virtual std::byte* base(int rank) const = 0;     ///< where that rank's memory begins here; null: on another node
  virtual Index bytes(int rank) const = 0;         ///< how long it is; 0 on another node
};

/// `bytes` of memory on this process, for as long as the owner lives. **Collective**; throws the same Error on every
/// process or on none. The pages are not zeroed where the piece was used before.
std::shared_ptr<const SharedPiece> share(Index bytes, MPI_Comm comm);

/// The piece whose memory on this process `data` points into, if it was taken on this communicator and is not free;
/// null otherwise. Local; costs the time to look through the pieces.
const SharedPiece* shared_piece(const void* data, MPI_Comm comm);

/// Whether another rank of the communicator lives on this process's node. **Collective** the first time for a
/// communicator, and local then.
bool on_this_node(int rank, MPI_Comm comm);

}  // namespace dap::mpi
