#pragma once

#include <tridap/index.hpp>

#include <mpi.h>

#include <cstddef>
#include <memory>

namespace tridap::mpi {

/// One allocation of a pool: memory on each process, identified by one number. Ranks are those of the communicator.
class SharedAllocation {
 public:
  virtual ~SharedAllocation() = default;
  /// The same on every process. No other allocation on this communicator ever gets the same number.
  virtual Index number() const = 0;
  /// The address of that rank's memory in this process: a multiple of 4096, and not null even if the rank asked for 0
  /// bytes. Null: the rank is on another node.
  virtual std::byte* base(int rank) const = 0;
  virtual Index bytes(int rank) const = 0;  ///< its length: what the rank asked for, or more; 0 on another node
};

/// Allocates `bytes` of shared memory on this process, for as long as the returned owner lives. 0 is allowed, and each
/// process may ask for another number. **Collective**: throws the same Error on every process or on none, for example
/// if the node has too little shared memory.
///
/// An allocation that every process has released is used again if it is large enough on each process and not much too
/// large; its pages exist already. Otherwise a new one is made, and each process touches its own pages first.
///
/// Releasing the owner is local, and any thread may do it. The pool returns memory to the system if much of it is free,
/// and when the communicator is freed. Memory that has an owner outlives the communicator. On Linux it outlives
/// MPI_Finalize too; a system that cannot map the same pages twice keeps it until MPI_Finalize. A page is freed when no
/// process of the node holds its allocation. For each communicator, one thread at a time may call the functions of this
/// header.
std::shared_ptr<const SharedAllocation> allocate_shared_bytes(Index bytes, MPI_Comm comm);

/// Takes an allocation once more that this process has released, without communication. The processes must agree that
/// all have it before one of them uses it; whoever does not confirm() it releases it again.
class SharedReuse {
 public:
  /// Takes the allocation with this number, if it is free on this process and has `bytes`. Throws std::bad_alloc.
  SharedReuse(Index number, Index bytes, MPI_Comm comm);

  /// The memory of this process and its owner; null: the allocation was not taken.
  const std::shared_ptr<const SharedAllocation>& taken() const { return taken_; }
  /// All processes have it. To be called on every process, in the same order among the calls of this header.
  void confirm(MPI_Comm comm) const;

 private:
  std::shared_ptr<const SharedAllocation> taken_;
};

/// The allocation of this communicator whose memory on this process contains `data`; null if there is none, or if it is
/// free. Local; the time is proportional to the number of allocations. The result lives as long as the owner of `data`.
const SharedAllocation* find_shared(const void* data, MPI_Comm comm);

/// The allocation with a number; null: there is none. A process may ask for one that it has released, or of which it
/// has no memory, while another process still owns it. Local. The result lives as long as the owner on any process.
const SharedAllocation* find_shared_by_number(Index number, MPI_Comm comm);

/// Whether a rank of the communicator is on the same node as this process. The first call of this function,
/// allocate_shared_bytes() or allocate_shared() for a communicator is **collective**; after it, this function is local.
bool on_this_node(int rank, MPI_Comm comm);

}  // namespace tridap::mpi
