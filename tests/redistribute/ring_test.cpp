#include "node_context.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <vector>

namespace {

using tridap::Index;
using tridap::redistribute::Ring;
using tridap::redistribute::ring_slots;

constexpr Index slot_bytes = 32 << 10;

/// Both ends of a ring in one process.
struct Ends {
  std::atomic<std::uint64_t> posted{0}, taken{0};
  std::array<std::uint32_t, ring_slots> filled{};
  std::vector<std::byte> slots = std::vector<std::byte>(ring_slots * slot_bytes);
  Ring ring{&posted, &taken, filled.data(), slots.data(), slot_bytes};
};

}  // namespace

TEST(Ring, HandsOnWhatIsPostedInItsOrder) {
  Ends ends;
  Index bytes = 0;
  EXPECT_EQ(ends.ring.full_slot(&bytes), nullptr);
  for (Index n = 0; n < 3 * ring_slots; ++n) {
    std::byte* const slot = ends.ring.empty_slot();
    ASSERT_NE(slot, nullptr);
    *slot = static_cast<std::byte>(n);
    ends.ring.post(n + 1);
    EXPECT_EQ(ends.ring.full_slot(&bytes), slot);
    EXPECT_EQ(*slot, static_cast<std::byte>(n));
    EXPECT_EQ(bytes, n + 1);
    ends.ring.take();
    EXPECT_EQ(ends.ring.full_slot(&bytes), nullptr);
  }
}

TEST(Ring, IsFullWhenEachSlotIs) {
  Ends ends;
  for (Index n = 0; n < ring_slots; ++n) {
    std::byte* const slot = ends.ring.empty_slot();
    ASSERT_NE(slot, nullptr);
    std::fill_n(slot, slot_bytes, static_cast<std::byte>(n));
    ends.ring.post(slot_bytes);
  }
  EXPECT_EQ(ends.ring.empty_slot(), nullptr);
  for (Index n = 0; n < ring_slots; ++n) {
    Index bytes = 0;
    const std::byte* const slot = ends.ring.full_slot(&bytes);
    ASSERT_NE(slot, nullptr);
    EXPECT_EQ(slot[0], static_cast<std::byte>(n));
    EXPECT_EQ(slot[slot_bytes - 1], static_cast<std::byte>(n));
    ends.ring.take();
    EXPECT_NE(ends.ring.empty_slot(), nullptr);
  }
}
