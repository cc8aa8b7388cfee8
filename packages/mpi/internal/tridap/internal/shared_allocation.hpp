#pragma once

#include <tridap/index.hpp>

#include <mpi.h>

#include <cstddef>
#include <memory>

namespace tridap::mpi {

/// One piece of a pool: memory of each process, under one number. Ranks are those of the communicator.
class SharedAllocation {
 public:
  virtual ~SharedAllocation() = default;
  virtual Index number()
      const = 0;  ///< the same on every process; another one for each piece of the communicator, ever
  /// Where that rank's memory begins, as this process reaches it: a multiple of 4096, and no null even where the rank
  /// wanted no bytes. Null: on another node.
  virtual std::byte* base(int rank) const = 0;
  virtual Index bytes(int rank) const = 0;  ///< how long it is: what the rank wanted, or more; 0 on another node
};

/// `bytes` of memory on this process (0 is allowed, and each process may want another number), for as long as the owner
/// lives. A piece that every process has let go of is taken again where it is large enough for each and not much too
/// large, so that its pages are there already; else a new one is made, its pages touched by the process that owns them.
/// **Collective**; throws the same Error on every process or on none, such as where the node has too little memory to
/// share.
///
/// Letting go is local, and any thread may do it. The pool gives memory back to the system where it holds much that is
/// free, and when the communicator is freed. What has an owner outlives the communicator, and MPI_Finalize too (on
/// Linux; where the system has no second mapping of the same pages, until MPI_Finalize): a page is gone once nobody on
/// the node holds its piece. One thread at a time may call what stands in this header for a communicator.
std::shared_ptr<const SharedAllocation> allocate_shared_bytes(Index bytes, MPI_Comm comm);

/// The piece whose memory on this process `data` points into, if it was taken on this communicator and is not free;
/// null otherwise. Local; costs the time to look through the pieces. It lives as long as the owner of `data`.
const SharedAllocation* find_shared(const void* data, MPI_Comm comm);

/// The piece of a number, for a process that holds no memory of it, or has let go of it while another one has not;
/// null: there is none. Local; it lives as long as some process's owner.
const SharedAllocation* find_shared_by_number(Index number, MPI_Comm comm);

/// Whether a rank of the communicator lives on this process's node, as this process itself does. **Collective** the
/// first time for a communicator, as allocate_shared_bytes() and allocate_shared() are, and local after any of them.
bool on_this_node(int rank, MPI_Comm comm);

}  // namespace tridap::mpi
