#pragma once

#include <tridap/index.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

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

}  // namespace tridap::redistribute
