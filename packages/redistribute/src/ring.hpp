#pragma once

#include <tridap/index.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tridap::redistribute {

inline constexpr Index ring_slots = 8;

/// Measures whether a receiver reads slots faster if they were written with normal stores, or with stores that bypass
/// the caches. Normal stores are faster if both processes share a cache. Stores that bypass the caches are much faster
/// if cache lines would come from another chip. The system does not say which is the case, and processes can move to
/// other cores. So both are measured, the slower one from time to time.
class SlotTrial {
 public:
  void emptied(bool cached, double seconds_per_byte) {
    double& cost = costs_[cached ? 1 : 0];
    // Who lost its core meanwhile, or touched the slot first, says little: a longer time counts for an eighth.
    const double more = std::min(seconds_per_byte, 2 * cost) - cost;
    cost = cost == 0 || more < 0 ? seconds_per_byte : cost + more / 8;
    ++timed_;
  }
  /// How the next slot is to be written.
  bool cached() const {
    const bool faster = costs_[1] < costs_[0];
    return timed_ % turn < tried ? !faster : faster;
  }

 private:
  static constexpr std::uint64_t turn = 61, tried = 2;  // slots; not in step with moves of 4 or 8
  std::array<double, 2> costs_{};                       // past the caches, into them; 0: not tried
  std::uint64_t timed_ = tried;
};

/// What is in a slot.
struct Filling {
  std::uint32_t bytes = 0;
  bool cached = false;  ///< written into the caches
};

/// Slots in the memory of a sender that a receiver of its node empties: one ring for each ordered pair, and each to
/// itself.
///
/// `posted` counts the slots that the sender has filled and `taken` those that the receiver has emptied, since the ring
/// was made. Each is written by one process alone. A slot is filled before the release store of `posted`, whose acquire
/// load comes before it is read: so the receiver sees the bytes. It is read before the release store of `taken`, whose
/// acquire load comes before it is filled again: so the sender overwrites nothing that is still to be read.
/// `wanted` orders nothing: any value that the sender sees is right.
struct Ring {
  std::atomic<std::uint64_t>* posted = nullptr;
  std::atomic<std::uint64_t>* taken = nullptr;
  std::atomic<bool>* wanted = nullptr;  ///< the receiver's: slots that are written into the caches
  Filling* filled = nullptr;            ///< by slot; the sender's, as the slots are
  std::byte* slots = nullptr;
  Index slot_bytes = 0;
  SlotTrial* trial = nullptr;  ///< the receiver's, in its own memory

  bool full() const {  ///< for its sender
    return posted->load(std::memory_order_relaxed) - taken->load(std::memory_order_acquire) == ring_slots;
  }
  bool cached() const { return wanted->load(std::memory_order_relaxed); }
  std::byte* next_slot() const { return slot(posted->load(std::memory_order_relaxed)); }
  void post(Index bytes, bool cached) const {
    const std::uint64_t n = posted->load(std::memory_order_relaxed);  // ours alone to write
    filled[n % ring_slots] = {static_cast<std::uint32_t>(bytes), cached};
    posted->store(n + 1, std::memory_order_release);
  }

  /// The slot that its receiver has to empty next, and what is in it; null: none is full.
  const std::byte* full_slot(Index* bytes) const {
    const std::uint64_t n = taken->load(std::memory_order_relaxed);  // the receiver's alone to write
    if (posted->load(std::memory_order_acquire) == n) return nullptr;
    *bytes = filled[n % ring_slots].bytes;
    return slot(n);
  }
  /// The receiver began to empty it at `begun`.
  void take(std::chrono::steady_clock::time_point begun) const;

  std::byte* slot(std::uint64_t n) const { return slots + static_cast<Index>(n % ring_slots) * slot_bytes; }
};

}  // namespace tridap::redistribute
