#include "collectives/counted.hpp"
#include "device/device_moved.hpp"

namespace {

using counted::Counts;
using counted::second;
using namespace on_device;

TEST(DeviceCollectives, OfMoves) {
  if (!on_one_node()) GTEST_SKIP() << "between nodes, elements take slots";
  const Where pool = [](Dice&) { return stand_in::pool; };
  Moved pulled(rows_to_columns(24), 8, 1, in_device_memory, in_device_memory);
  const auto source = pulled.source(), target = pulled.target();
  EXPECT_EQ(second([&] { pulled.plan()(source->stamped(), target->stamped()); }), (Counts{1, 0}));
  EXPECT_LE(second([&] { return pulled.plan()(source->stamped()); }).messages, 3);
  Moved slots(rows_to_columns(24), 8, 1, pool, pool);
  const auto from = slots.source(), to = slots.target();
  EXPECT_EQ(second([&] { slots.plan()(from->stamped(), to->stamped()); }), (Counts{3, 0}));
}

}  // namespace
