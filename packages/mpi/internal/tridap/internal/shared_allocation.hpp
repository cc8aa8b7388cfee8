#pragma once

#include <tridap/buffer.hpp>
#include <tridap/flat_numbers.hpp>
#include <tridap/index.hpp>
#include <tridap/mpi/agree.hpp>

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace tridap::mpi {

/// Memory of each process, which the processes of one node can access. Ranks are those of the communicator.
class SharedAllocation {
 public:
  /// Reserves addresses for the memory of the node's processes, and allocates it if there is only one. `places` has the
  /// position in `lengths` of each rank; -1: the rank is on another node. Throws Error.
  SharedAllocation(Index number, const std::vector<Index>& lengths, std::shared_ptr<const std::vector<int>> places);
  SharedAllocation(const SharedAllocation&) = delete;
  SharedAllocation& operator=(const SharedAllocation&) = delete;
  ~SharedAllocation();

  /// The same on every process. No other allocation on this communicator ever gets the same number.
  Index number() const { return number_; }
  /// The address of that rank's memory in this process: a multiple of 4096, and not null even if the rank asked for 0
  /// bytes. Null: the rank is on another node.
  std::byte* base(int rank) const { return place(rank) < 0 ? nullptr : memory_ + begin(place(rank)); }
  /// Its length: what the rank asked for, or more; 0 on another node.
  Index bytes(int rank) const { return place(rank) < 0 ? 0 : begin(place(rank) + 1) - begin(place(rank)); }

  /// Maps an open file of shared memory that has that rank's memory; it may be closed then. `makes`: the file is empty,
  /// and all its pages are allocated first, near this process. Throws Error.
  void map(int rank, int file, bool makes);

 private:
  int place(int rank) const { return (*places_)[static_cast<std::size_t>(rank)]; }
  Index begin(int place) const { return begins_[static_cast<std::size_t>(place)]; }

  Index number_;
  std::shared_ptr<const std::vector<int>> places_;
  std::vector<Index> begins_;  // of each place in memory_, and the end; bytes
  std::byte* memory_;
};

/// Allocates `bytes` of shared memory on this process, for as long as the returned owner lives. 0 is allowed, and each
/// process may ask for another number. **Collective**: throws the same Error on every process or on none, for example
/// if the node has too little shared memory, or if a process passes `faults`.
///
/// The allocations of a communicator form a pool. An allocation that every process has released is used again if it is
/// large enough on each process and not much too large; its pages exist already. Otherwise a new one is made, and each
/// process touches its own pages first. The pool returns memory to the system if much of it is free, and when the
/// communicator is freed.
///
/// Releasing the owner is local, and any thread may do it. Memory that has an owner outlives the communicator and
/// MPI_Finalize. A page is freed when no process of the node holds its allocation. For each communicator, one thread at
/// a time may call the functions of this header.
std::shared_ptr<const SharedAllocation> allocate_shared_bytes(Index bytes, MPI_Comm comm, Faults faults = {});

/// allocate_shared() without a record, for calls that have begun. **Collective.**
Buffer allocate_shared_within(const ElementType& type, const IndexList& shape, MPI_Comm comm, Order order);

/// A new allocation that is made between the agreements that a call makes anyway, if all goes well: each process offers
/// its memory; if all have offered, each opens the others' memory; if all have opened it, each keeps it. All of it is
/// local, and throws nothing but an std::bad_alloc of keep().
class NewAllocation {
 public:
  explicit NewAllocation(MPI_Comm comm) : comm_(comm) {}
  NewAllocation(const NewAllocation&) = delete;
  ~NewAllocation();

  /// Makes this process's memory. `bytes`: of each process of the node, by rank. False if allocate_shared_bytes() is to
  /// find better: something free that suits, or memory to give back, or that there is no room.
  bool offer(const std::vector<Index>& bytes);
  /// Opens the memory of the others; all processes have offered theirs.
  bool open();
  /// Adds the allocation to the pool; all processes have opened it. `largest`: the most bytes of a process of `comm`.
  std::shared_ptr<const SharedAllocation> keep(Index largest);

 private:
  MPI_Comm comm_;
  std::shared_ptr<SharedAllocation> made_;
};

/// Takes an allocation once more that this process has released: of those that suit `bytes` here, and `largest` bytes
/// on any process, the one with the number `first`, which may be -1; then the smallest; then the one that was made
/// first. Null: there is none. Local, and allocates nothing. The processes must agree that all have taken the same one
/// before one of them uses it.
std::shared_ptr<const SharedAllocation> reuse_shared(Index bytes, Index largest, Index first, MPI_Comm comm);

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
