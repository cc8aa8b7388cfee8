#pragma once

#include "channel.hpp"
#include "ring.hpp"
#include <tridap/index.hpp>
#include <tridap/internal/shared_allocation.hpp>
#include <tridap/mpi/allocate_shared.hpp>

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

namespace tridap::redistribute {

inline constexpr Index slots_bytes = Index{15} << 18;       ///< the most that a process has for rings, and for messages
inline constexpr Index least_slots_bytes = Index{1} << 14;  ///< with less, rings are slower than messages

class Mover;

/// The shared memory of the rings between the processes of a node.
struct RingMemory {
  std::shared_ptr<const mpi::SharedAllocation> piece;  ///< null: there is none on any process
  Index most = slots_bytes;                            ///< bytes of one process
  std::exception_ptr why_none;
};

/// Everything that the moves on one communicator share. It is attached to the communicator, so that it is made once.
class NodeContext {
 public:
  /// **Collective** the first time for a communicator, and local then.
  static std::shared_ptr<NodeContext> of(MPI_Comm comm);

  NodeContext(MPI_Comm comm, RingMemory memory);
  NodeContext(const NodeContext&) = delete;

  int rank() const { return rank_; }
  int processes() const { return processes_; }
  bool has_rings() const { return memory_ != nullptr; }  ///< otherwise all are messages; the same on every process
  const std::exception_ptr& why_no_rings() const { return why_no_rings_; }
  bool on_node(Index rank) const { return place_[static_cast<std::size_t>(rank)] >= 0; }  ///< on our node
  const Ring& to(Index rank) const { return to_[static_cast<std::size_t>(place_[static_cast<std::size_t>(rank)])]; }
  const Ring& from(Index rank) const { return from_[static_cast<std::size_t>(place_[static_cast<std::size_t>(rank)])]; }

  Index slot_bytes() const { return slot_bytes_; }  ///< of a ring

  /// The number of the last move in which a process of our node has done its part.
  std::atomic<std::uint64_t>& done(Index rank) const;
  std::uint64_t next_move() { return ++moves_; }

  /// Memory for messages, `slots_bytes` of it; made by the first call.
  std::byte* message_slots();

  Mover* active = nullptr;  ///< its move is in progress, and must end before the next one; null: none

 private:
  int rank_ = 0, processes_ = 1;
  Index slot_bytes_ = 0;
  std::shared_ptr<const mpi::SharedAllocation> memory_;
  std::exception_ptr why_no_rings_;
  std::vector<int> node_;   // ranks on our node, ascending
  std::vector<int> place_;  // by rank: its position in node_; -1: on another node
  std::vector<Ring> to_, from_;
  std::uint64_t moves_ = 0;
  std::vector<std::byte> message_slots_;
};

}  // namespace tridap::redistribute
