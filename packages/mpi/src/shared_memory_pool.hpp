#pragma once

#include <tridap/internal/shared_allocation.hpp>
#include <tridap/mpi/agree.hpp>

#include <atomic>
#include <cstdint>

#pragma GCC visibility push(hidden)

namespace tridap::mpi {

/// An allocation as the pool keeps it. It outlives the pool while an owner holds it.
class PooledAllocation final : public SharedAllocation {
 public:
  struct Segment {
    std::byte* base = nullptr;
    Index bytes = 0;
  };

  Index number() const override { return serial; }
  std::byte* base(int rank) const override { return part(rank).base; }
  Index bytes(int rank) const override { return part(rank).bytes; }

  bool is_free() const { return free_.load(std::memory_order_acquire); }
  void take() { free_.store(false, std::memory_order_relaxed); }
  void release() { free_.store(true, std::memory_order_release); }  // after every access of this process to the memory

  /// When it was last used: the number of uses of the pool until then. The same on every process.
  Index turn() const { return turn_; }
  void was_used(Index turn) const { turn_ = turn; }

  /// True if it is large enough on this process, and not much too large.
  bool suits(Index bytes) const;
  bool holds(const void* data) const;

  Index serial = 0;
  Index pages = 0;     ///< of all processes
  bool spare = false;  ///< within one allocate_shared_bytes(): free on every process
  std::shared_ptr<const std::vector<int>> node_ranks;
  std::vector<Segment> parts;                        ///< by rank in the node
  int here = 0;                                      ///< our rank in the node
  std::vector<std::shared_ptr<std::byte>> pages_of;  ///< keeps the pages mapped; by rank in the node

 private:
  Segment part(int rank) const;

  std::atomic<bool> free_{true};
  mutable Index turn_ = 0;
};

/// The allocations of one communicator, in the same order on every process.
struct SharedMemoryPool {
  MPI_Comm comm = MPI_COMM_NULL;  ///< a duplicate, for our messages
  MPI_Comm node = MPI_COMM_NULL;  ///< the processes of `comm` that share memory with this one
  int processes = 1, neighbours = 1;
  std::shared_ptr<std::vector<int>> node_ranks;  ///< by rank; -1: on another node
  std::vector<std::shared_ptr<PooledAllocation>> pieces;
  std::vector<std::uint64_t> common;        ///< buffer for the reduction of allocate_shared_bytes()
  Index numbers = 0, turns = 0, names = 0;  ///< how many were given until now
  std::uint64_t id = 0;                     ///< the same on every process, different for each pool
};

/// allocate_shared_bytes() that also throws the `faults` that this process has already. **Collective.**
std::shared_ptr<const SharedAllocation> allocate_shared_bytes(Index bytes, Faults faults, MPI_Comm comm);

/// The pool of a communicator. **Collective** the first time.
SharedMemoryPool& pool_of(MPI_Comm comm);

/// The pool of a communicator; null: it has none yet. Local.
SharedMemoryPool* known_pool(MPI_Comm comm);

}  // namespace tridap::mpi

#pragma GCC visibility pop
