#pragma once

#include "device_slots.hpp"
#include "rings.hpp"
#include <tridap/index.hpp>
#include <tridap/internal/duplicates.hpp>

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

class Mover;

/// Everything that the moves on one communicator share. It is attached to the communicator, so that it is made once.
class NodeContext {
 public:
  /// **Collective** the first time for a communicator, and local then.
  static std::shared_ptr<NodeContext> of(MPI_Comm comm);
  /// Whether of() would return without communicating. Local.
  static bool is_made(const mpi::Duplicates& duplicates);

  NodeContext(MPI_Comm comm, RingMemory memory);
  NodeContext(const NodeContext&) = delete;

  int rank() const { return rank_; }
  int processes() const { return processes_; }
  bool has_rings() const { return rings_ != nullptr; }  ///< otherwise all are messages; the same on every process
  const std::exception_ptr& why_no_rings() const { return why_no_rings_; }
  bool on_node(Index rank) const { return rings_ && rings_->has(rank); }  ///< and there are rings
  bool is_near(Index rank) const {
    return near_[static_cast<std::size_t>(rank)];
  }  ///< on our node, with or without them
  const Rings& rings() const { return *rings_; }

  /// The number of the last move in which a process of our node has done its part.
  std::atomic<std::uint64_t>& done(Index rank) const { return rings_->done(rank); }
  std::uint64_t next_move() { return ++moves_; }

  /// Memory for the slots of messages, first those of sends; made by the first call.
  std::byte* message_memory();
  /// What moves through slots need for arrays on devices; made by the first call, which is **collective**.
  DeviceSlots& device_slots(MPI_Comm comm);

  Mover* active = nullptr;  ///< its move is in progress, and must end before the next one; null: none

 private:
  int rank_ = 0, processes_ = 1;
  std::unique_ptr<Rings> rings_;  // null: there are none on any process
  std::exception_ptr why_no_rings_;
  std::vector<bool> near_;
  std::uint64_t moves_ = 0;
  std::vector<std::byte> message_memory_;
  std::unique_ptr<DeviceSlots> device_slots_;
};

}  // namespace tridap::redistribute

#pragma GCC visibility pop
