#include "device/device_moved.hpp"
#include <tridap/device/device.hpp>

#include <gtest/gtest.h>

using namespace on_device;

namespace {

/// Memory of targets that plans make, over the stand-in.
class DeviceTargets : public testing::Test {
 protected:
  void SetUp() override {
    if (!on_one_node()) GTEST_SKIP() << "between nodes, no process opens the memory of another";
    if (stand_in::Driver::loaded().is_real) GTEST_SKIP() << "a real driver counts nothing";
    tridap::device::close(world);
  }

  const Index processes_ = on::processes(world);
};

}  // namespace

TEST_F(DeviceTargets, AreMadeInMemoryThatWasReleased) {
  Moved moved(rows_to_columns(30), 8, 1, in_device_memory, in_device_memory);
  const auto source = moved.source();
  const void* const first = moved.plan()(source->stamped()).buffer.data;
  const std::uint64_t before = counted(stand_in::allocations);
  for (int time = 0; time < 10; ++time) EXPECT_EQ(moved.plan()(source->stamped()).buffer.data, first);
  EXPECT_EQ(counted(stand_in::allocations), before);
  moved.expect_made(*source);
}

// From its second use on, a target that is the source of another move is known to all: no process opens it again.
TEST_F(DeviceTargets, StayOpenWhenTheyAreMadeAgain) {
  if (processes_ < 2) GTEST_SKIP() << "needs at least 2 processes";
  Moved there(rows_to_columns(30), 8, 1, in_device_memory, in_device_memory);
  const auto source = there.source();
  Redistribution back = there.plan().reversed();
  const auto round = [&] {
    const DistArray columns = there.plan()(source->stamped());
    const auto target = there.source();
    back(columns, target->stamped());
    return columns.buffer.data;
  };
  const void* const first = round();
  const std::uint64_t open = counted(stand_in::open_handles);
  for (int time = 0; time < 5; ++time) EXPECT_EQ(round(), first);
  EXPECT_EQ(counted(stand_in::open_handles), open);
}

// CUDA says nothing of what happens when memory is freed that another process has open.
TEST_F(DeviceTargets, AreFreedWhenAllHaveClosedThem) {
  const std::uint64_t before = counted(stand_in::allocations);
  for (int time = 0; time < 3; ++time) {
    for (Index n = 10; n < 20; ++n) {
      Moved there(rows_to_columns(n), 8, 1, in_device_memory, in_device_memory);
      const auto source = there.source(), target = there.source();
      Redistribution back = there.plan().reversed();
      back(there.plan()(source->stamped()), target->stamped());
    }
    tridap::device::close(world);
    EXPECT_EQ(counted(stand_in::allocations), before);
    EXPECT_EQ(counted(stand_in::open_handles), 0U);
  }
  EXPECT_EQ(counted(stand_in::freed_open), 0U);
}

TEST_F(DeviceTargets, OutliveACommunicatorUntilAllHaveFreedIt) {
  const std::uint64_t before = counted(stand_in::allocations);
  const auto move = [](MPI_Comm comm) {
    Moved there(rows_to_columns(24), 8, 1, in_device_memory, in_device_memory, Path::automatic, comm);
    const auto source = there.source(), target = there.source();
    Redistribution back = there.plan().reversed();
    back(there.plan()(source->stamped()), target->stamped());
  };
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world, &comm);
  move(comm);
  for (Index turn = 0; turn < processes_; ++turn) {
    if (turn == on::rank(world)) MPI_Comm_free(&comm);
    MPI_Barrier(world);
  }
  move(world);  // looks what has been closed
  tridap::device::close(world);
  EXPECT_EQ(counted(stand_in::allocations), before);
  EXPECT_EQ(counted(stand_in::freed_open), 0U);
}
