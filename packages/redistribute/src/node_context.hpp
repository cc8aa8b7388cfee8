#pragma once

#include <tridap/index.hpp>
#include <tridap/internal/duplicates.hpp>
#include <tridap/internal/shared_allocation.hpp>
#include <tridap/mpi/allocate_shared.hpp>

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

inline constexpr Index ring_slots = 8;

/// Slots in the shared memory of a node: one process fills them in turn, and another one empties them.
///
/// `posted` counts the slots that the sender has filled, and `taken` those that the receiver has emptied, since the
/// ring was made. Only one process writes each of them. The sender fills a slot before the release store of `posted`,
/// and the receiver reads the slot after the acquire load of `posted`: so it sees the bytes. The receiver reads the
/// slot before the release store of `taken`, and the sender fills it again after the acquire load of `taken`: so
/// nothing is overwritten that must still be read.
struct Ring {
  std::atomic<std::uint64_t>* posted = nullptr;
  std::atomic<std::uint64_t>* taken = nullptr;
  std::uint32_t* filled = nullptr;  ///< bytes in each slot
  std::byte* slots = nullptr;
  Index slot_bytes = 0;

  /// For the sender: the slot to fill next; null: all are full.
  std::byte* empty_slot() const {
    const std::uint64_t n = posted->load(std::memory_order_relaxed);
    return n - taken->load(std::memory_order_acquire) == ring_slots ? nullptr : slot(n);
  }
  void post(Index bytes) const {
    const std::uint64_t n = posted->load(std::memory_order_relaxed);
    filled[n % ring_slots] = static_cast<std::uint32_t>(bytes);
    posted->store(n + 1, std::memory_order_release);
  }

  /// For the receiver: the slot to empty next, and the bytes in it; null: none is full.
  const std::byte* full_slot(Index* bytes) const {
    const std::uint64_t n = taken->load(std::memory_order_relaxed);
    if (posted->load(std::memory_order_acquire) == n) return nullptr;
    *bytes = filled[n % ring_slots];
    return slot(n);
  }
  void take() const { taken->store(taken->load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  std::byte* slot(std::uint64_t n) const { return slots + static_cast<Index>(n % ring_slots) * slot_bytes; }
};

inline constexpr Index slots_bytes = Index{15} << 18;       ///< the most that a process has for rings
inline constexpr Index least_slots_bytes = Index{1} << 14;  ///< with less, rings are slower than messages

// Messages between nodes. Open MPI sends up to 64 KB by TCP without first asking the receiver.
inline constexpr Index message_slot_bytes = Index{60} << 10;  ///< the same on every process
inline constexpr Index message_slots = 16;                    ///< of each direction

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
  /// Whether of() would return without communicating. Local.
  static bool is_made(const mpi::Duplicates& duplicates);

  NodeContext(MPI_Comm comm, RingMemory memory);
  NodeContext(const NodeContext&) = delete;

  int rank() const { return rank_; }
  int processes() const { return processes_; }
  bool has_rings() const { return memory_ != nullptr; }  ///< otherwise all are messages; the same on every process
  const std::exception_ptr& why_no_rings() const { return why_no_rings_; }
  bool on_node(Index rank) const { return place_[static_cast<std::size_t>(rank)] >= 0; }  ///< and there are rings
  bool is_near(Index rank) const {
    return near_[static_cast<std::size_t>(rank)];
  }  ///< on our node, with or without them
  const Ring& to(Index rank) const { return to_[static_cast<std::size_t>(place_[static_cast<std::size_t>(rank)])]; }
  const Ring& from(Index rank) const { return from_[static_cast<std::size_t>(place_[static_cast<std::size_t>(rank)])]; }

  Index slot_bytes() const { return slot_bytes_; }  ///< of a ring

  /// The number of the last move in which a process of our node has done its part.
  std::atomic<std::uint64_t>& done(Index rank) const;
  std::uint64_t next_move() { return ++moves_; }

  /// Memory for the slots of messages, first those of sends; made by the first call.
  std::byte* message_memory();

  Mover* active = nullptr;  ///< its move is in progress, and must end before the next one; null: none

 private:
  int rank_ = 0, processes_ = 1;
  Index slot_bytes_ = 0;
  std::shared_ptr<const mpi::SharedAllocation> memory_;
  std::exception_ptr why_no_rings_;
  std::vector<int> node_;   // ranks on our node, ascending
  std::vector<int> place_;  // by rank: its position in node_; -1: on another node, or there are no rings
  std::vector<bool> near_;
  std::vector<Ring> to_, from_;
  std::uint64_t moves_ = 0;
  std::vector<std::byte> message_memory_;
};

}  // namespace tridap::redistribute

#pragma GCC visibility pop
