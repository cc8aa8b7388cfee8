#pragma once

#include "channel.hpp"
#include <dap/index.hpp>
#include <dap/mpi/shared.hpp>

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace dap::redistribute {

inline constexpr Index staging_bytes = Index{15} << 18;  ///< at most, of one process, for each of the two ways below
inline constexpr Index ring_slots = 8;

/// Slots in the memory of a sender that a receiver of its node empties: one ring for each ordered pair, and each to
/// itself.
///
/// `posted` counts the slots that the sender has filled and `taken` those that the receiver has emptied, since the ring
/// was made. Each is written by one process alone. A slot is filled before the release store of `posted`, whose acquire
/// load comes before it is read: so the receiver sees the bytes. It is read before the release store of `taken`, whose
/// acquire load comes before it is filled again: so the sender overwrites nothing that is still to be read.
struct Ring {
  std::atomic<std::uint64_t>* posted = nullptr;
  std::atomic<std::uint64_t>* taken = nullptr;
  Index* filled = nullptr;  ///< by slot: the bytes in it; the sender's, as the slots are
  std::byte* slots = nullptr;
  Index slot_bytes = 0;

  bool full() const {  ///< for its sender
    return posted->load(std::memory_order_relaxed) - taken->load(std::memory_order_acquire) == ring_slots;
  }
  std::byte* next_slot() const { return slot(posted->load(std::memory_order_relaxed)); }
  void post(Index bytes) const {
    const std::uint64_t n = posted->load(std::memory_order_relaxed);  // ours alone to write
    filled[n % ring_slots] = bytes;
    posted->store(n + 1, std::memory_order_release);
  }

  /// The slot that its receiver has to empty next, and what is in it; null: none is full.
  const std::byte* full_slot(Index* bytes) const {
    const std::uint64_t n = taken->load(std::memory_order_relaxed);  // the receiver's alone to write
    if (posted->load(std::memory_order_acquire) == n) return nullptr;
    *bytes = filled[n % ring_slots];
    return slot(n);
  }
  void take() const { taken->store(taken->load(std::memory_order_relaxed) + 1, std::memory_order_release); }

  std::byte* slot(std::uint64_t n) const { return slots + static_cast<Index>(n % ring_slots) * slot_bytes; }
};

/// What the moves over one communicator have in common: kept with it, so that it is set up once.
class Team {
 public:
  /// **Collective** the first time for a communicator, and local then.
  static std::shared_ptr<Team> of(MPI_Comm comm);

  Team(MPI_Comm comm, std::shared_ptr<const mpi::SharedPiece> stage);

  int rank() const { return rank_; }
  int processes() const { return processes_; }
  bool here(Index rank) const { return place_[static_cast<std::size_t>(rank)] >= 0; }  ///< on our node
  const Ring& to(Index rank) const { return to_[static_cast<std::size_t>(place_[static_cast<std::size_t>(rank)])]; }
  const Ring& from(Index rank) const { return from_[static_cast<std::size_t>(place_[static_cast<std::size_t>(rank)])]; }

  Index slot_bytes() const { return slot_bytes_; }  ///< of a ring

  /// The number of the move that a process of our node has done its part of last.
  std::atomic<std::uint64_t>& done(Index rank) const;
  std::uint64_t next_move() { return ++moves_; }

  /// Memory for messages, `staging_bytes` of it; made by the first call.
  std::byte* staging();

  /// What is under way, and must end before the next begins; null: nothing.
  void* active = nullptr;

 private:
  int rank_ = 0, processes_ = 1;
  Index slot_bytes_ = 0;
  std::shared_ptr<const mpi::SharedPiece> stage_;
  std::vector<int> node_;   // ranks on our node, ascending
  std::vector<int> place_;  // by rank: where it stands in node_; -1: on another node
  std::vector<Ring> to_, from_;
  std::uint64_t moves_ = 0;
  std::vector<std::byte> staging_;
};

}  // namespace dap::redistribute
