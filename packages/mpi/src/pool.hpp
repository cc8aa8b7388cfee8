#pragma once

#include <tridap/mpi/shared.hpp>

#include <atomic>
#include <cstdint>

namespace tridap::mpi {

/// A piece as the pool keeps it. It outlives the pool where somebody still owns it.
class Piece final : public SharedPiece {
 public:
  struct Part {
    std::byte* base = nullptr;
    Index bytes = 0;
  };

  Index number() const override { return serial; }
  std::byte* base(int rank) const override { return part(rank).base; }
  Index bytes(int rank) const override { return part(rank).bytes; }

  bool is_free() const { return free_.load(std::memory_order_acquire); }
  void take() { free_.store(false, std::memory_order_relaxed); }
  void let_go() { free_.store(true, std::memory_order_release); }  // after all that this process did with the memory

  /// Large enough here, and not much too large.
  bool suits(Index bytes) const;
  bool holds(const void* data) const;

  Index serial = 0;
  Index pages = 0;     ///< of all processes
  bool spare = false;  ///< for one share(): free everywhere
  Index turn = 0;      ///< when it was taken last: the number of share() calls until then
  std::shared_ptr<const std::vector<int>> node_ranks;
  std::vector<Part> parts;                           ///< by node rank
  int here = 0;                                      ///< our node rank
  std::vector<std::shared_ptr<std::byte>> pages_of;  ///< keeps them: by node rank
  MPI_Win window = MPI_WIN_NULL;                     ///< keeps them where the system cannot; null elsewhere

 private:
  Part part(int rank) const;

  std::atomic<bool> free_{true};
};

/// The pieces of one communicator, in the same order on every process.
struct Pool {
  MPI_Comm comm = MPI_COMM_NULL;  ///< carries our messages
  MPI_Comm node = MPI_COMM_NULL;  ///< the processes of ours that share memory
  int processes = 1, neighbours = 1;
  std::shared_ptr<std::vector<int>> node_ranks;  ///< by rank; -1: on another node
  std::vector<std::shared_ptr<Piece>> pieces;
  std::vector<std::uint64_t> common;         ///< room for what share() reduces
  std::vector<std::shared_ptr<Piece>> left;  ///< no longer in use, but for their owners
  Index numbers = 0, turns = 0;              ///< given until now
  std::uint64_t id = 0;                      ///< the same on every process, and another for each pool
};

/// The pool of a communicator. **Collective** the first time.
Pool& pool_of(MPI_Comm comm);

/// The same where there is one; null otherwise. Local.
Pool* known_pool(MPI_Comm comm);

/// Gives a piece's memory back that is free on every process of the node. **Collective** over the node.
void give_back(Piece& piece);

}  // namespace tridap::mpi
