#pragma once

#include <tridap/index.hpp>
#include <tridap/internal/shared_allocation.hpp>

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

  /// For the sender: the slot to fill next, or the one so many slots `ahead`; null: it is full.
  std::byte* empty_slot(std::uint64_t ahead = 0) const {
    const std::uint64_t n = posted->load(std::memory_order_relaxed) + ahead;
    return n - taken->load(std::memory_order_acquire) >= ring_slots ? nullptr : slot(n);
  }
  void post(Index bytes) const {
    const std::uint64_t n = posted->load(std::memory_order_relaxed);
    filled[n % ring_slots] = static_cast<std::uint32_t>(bytes);
    posted->store(n + 1, std::memory_order_release);
  }

  /// For the receiver: the slot to empty next, or the one so many slots `ahead`, and the bytes in it; null: it is not
  /// full.
  const std::byte* full_slot(Index* bytes, std::uint64_t ahead = 0) const {
    const std::uint64_t n = taken->load(std::memory_order_relaxed) + ahead;
    if (posted->load(std::memory_order_acquire) <= n) return nullptr;
    *bytes = filled[n % ring_slots];
    return slot(n);
  }
  void take() const { taken->store(taken->load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  std::byte* slot(std::uint64_t n) const { return slots + static_cast<Index>(n % ring_slots) * slot_bytes; }
};

inline constexpr Index least_slots_bytes = Index{1} << 14;  ///< with less, rings are slower than messages

// Messages between nodes. Open MPI sends up to 64 KB by TCP in one step.
inline constexpr Index message_slot_bytes = Index{60} << 10;  ///< the same on every process
inline constexpr Index message_slots = 16;                    ///< of each direction

/// The shared memory of the rings between the processes of a node.
struct RingMemory {
  /// As much as every node has to share, at most `most` bytes for a process, down to a few cache lines for each ring;
  /// none where a node has less. The same on every process, because share() succeeds on all or on none.
  /// **Collective.**
  static RingMemory make(MPI_Comm comm, Index most, Index largest_slot);

  std::shared_ptr<const mpi::SharedAllocation> piece;  ///< null: there is none on any process
  Index most = 0;                                      ///< bytes of one process
  Index largest_slot = 0;
  std::exception_ptr why_none;
};

/// A Ring for each ordered pair of processes of a node.
class Rings {
 public:
  /// No process may use them before all have made them.
  Rings(MPI_Comm comm, const RingMemory& memory);
  Rings(const Rings&) = delete;

  bool has(Index rank) const { return place_[static_cast<std::size_t>(rank)] >= 0; }  ///< that is, it is on our node
  const Ring& to(Index rank) const { return to_[static_cast<std::size_t>(place_[static_cast<std::size_t>(rank)])]; }
  const Ring& from(Index rank) const { return from_[static_cast<std::size_t>(place_[static_cast<std::size_t>(rank)])]; }
  Index slot_bytes() const { return slot_bytes_; }
  /// A number in the memory of each process, for its user.
  std::atomic<std::uint64_t>& done(Index rank) const;
  const mpi::SharedAllocation& memory() const { return *memory_; }
  const std::vector<int>& ranks() const { return node_; }  ///< on our node, ascending

 private:
  Index slot_bytes_ = 0;
  std::shared_ptr<const mpi::SharedAllocation> memory_;
  std::vector<int> node_;
  std::vector<int> place_;  // by rank: its position in node_; -1: on another node
  std::vector<Ring> to_, from_;
};

}  // namespace tridap::redistribute

#pragma GCC visibility pop
