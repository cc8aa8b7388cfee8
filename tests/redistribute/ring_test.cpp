#include "ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <vector>

namespace {

using tridap::Index;
using tridap::redistribute::Filling;
using tridap::redistribute::Ring;
using tridap::redistribute::ring_slots;
using tridap::redistribute::SlotTrial;

constexpr Index slot_bytes = 32 << 10;

/// Both ends of a ring in one process, which says how long its receiver takes.
struct Ends {
  std::atomic<std::uint64_t> posted{0}, taken{0};
  std::atomic<bool> wanted{false};
  std::array<Filling, ring_slots> filled{};
  std::vector<std::byte> slots = std::vector<std::byte>(ring_slots * slot_bytes);
  SlotTrial trial;
  Ring ring{&posted, &taken, &wanted, filled.data(), slots.data(), slot_bytes, &trial};

  void take(double seconds) {
    const std::chrono::duration<double> ago(seconds);
    ring.take(std::chrono::steady_clock::now() - std::chrono::duration_cast<std::chrono::steady_clock::duration>(ago));
  }
  /// Slots that are full alternately of either kind, and take so long.
  void pass(int count, double past_caches, double cached, Index bytes) {
    for (int k = 0; k < count; ++k) {
      const bool kind = k % 2 != 0;
      ring.post(bytes, kind);
      ring.post(bytes, !kind);  // another one waits behind it
      take(kind ? cached : past_caches);
      take(kind ? past_caches : cached);
    }
  }
};

}  // namespace

TEST(Ring, HandsOnWhatIsPostedInItsOrder) {
  Ends ends;
  Index bytes = 0;
  EXPECT_EQ(ends.ring.full_slot(&bytes), nullptr);
  for (Index n = 0; n < 3 * ring_slots; ++n) {
    std::byte* const slot = ends.ring.next_slot();
    *slot = static_cast<std::byte>(n);
    ends.ring.post(n + 1, false);
    EXPECT_EQ(ends.ring.full_slot(&bytes), slot);
    EXPECT_EQ(*slot, static_cast<std::byte>(n));
    EXPECT_EQ(bytes, n + 1);
    ends.take(0);
  }
}

TEST(Ring, IsFullWhenEachSlotIs) {
  Ends ends;
  for (Index n = 0; n < ring_slots; ++n) {
    EXPECT_FALSE(ends.ring.full());
    std::fill_n(ends.ring.next_slot(), slot_bytes, static_cast<std::byte>(n));
    ends.ring.post(slot_bytes, false);
  }
  EXPECT_TRUE(ends.ring.full());
  for (Index n = 0; n < ring_slots; ++n) {
    Index bytes = 0;
    const std::byte* const slot = ends.ring.full_slot(&bytes);
    EXPECT_EQ(slot[0], static_cast<std::byte>(n));
    EXPECT_EQ(slot[slot_bytes - 1], static_cast<std::byte>(n));
    ends.take(0);
    EXPECT_FALSE(ends.ring.full());
  }
}

// A slot's time counts for the kind that this slot is of, and what is asked for is what the trial says.
TEST(Ring, AsksForTheKindThatIsEmptiedFaster) {
  Ends near, far;
  near.pass(100, 0.02, 0.01, slot_bytes);
  far.pass(100, 0.01, 0.02, slot_bytes);
  int near_asks = 0, far_asks = 0;
  for (int k = 0; k < 61; ++k) {
    near.pass(1, 0.02, 0.01, slot_bytes);
    far.pass(1, 0.01, 0.02, slot_bytes);
    near_asks += near.ring.cached();
    far_asks += far.ring.cached();
  }
  EXPECT_GT(near_asks, 50);
  EXPECT_LT(far_asks, 10);
}

// Small slots are emptied sooner, and yet at less speed.
TEST(Ring, AsksByTheByte) {
  Ends ends;
  int asks = 0;
  for (int k = 0; k < 200; ++k) {
    ends.ring.post(slot_bytes, true);
    ends.take(0.012);
    ends.ring.post(slot_bytes / 2, false);
    ends.take(0.010);
    asks += ends.ring.cached();
  }
  EXPECT_GT(asks, 150);
}

TEST(Ring, AFewBytesSayNothing) {
  Ends ends;
  ends.pass(100, 0.02, 0.01, 1000);
  EXPECT_FALSE(ends.ring.cached());
}
