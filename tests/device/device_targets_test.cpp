#include "device/device_moved.hpp"
#include <tridap/device/device.hpp>
#include <tridap/internal/device_moves.hpp>
#include <tridap/internal/driver.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

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

  std::shared_ptr<void> make(Index bytes, bool zeros = false, Memory memory = cuda) {
    return tridap::redistribute::device_engine()->make_target(memory, bytes, zeros);
  }
  // No driver has so much, so that all unused memory is released.
  void ask_for_too_much() { EXPECT_THROW(make(Index{1} << 41), tridap::Error); }
  static std::uintptr_t address(const std::shared_ptr<void>& memory) {
    return reinterpret_cast<std::uintptr_t>(memory.get());
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
    if (turn == on::rank(world)) {
      MPI_Comm_free(&comm);
      ask_for_too_much();  // what the others have open is not freed
    }
    MPI_Barrier(world);
  }
  move(world);  // looks what has been closed
  tridap::device::close(world);
  EXPECT_EQ(counted(stand_in::allocations), before);
  EXPECT_EQ(counted(stand_in::freed_open), 0U);
}

TEST_F(DeviceTargets, AreMadeOnTheirDeviceAndInTheirLength) {
  stand_in::Driver::loaded().use(1);
  const void* const first = make(4096).get();
  const std::shared_ptr<void> elsewhere = make(4096, false, {Memory::Kind::cuda, 1});
  EXPECT_EQ(tridap::driver::place_of(elsewhere.get())->device, 1);
  for (const Index bytes : {4088, 4104, 8192}) EXPECT_NE(make(bytes).get(), first) << bytes;
  EXPECT_EQ(make(4096).get(), first);
}

TEST_F(DeviceTargets, AreMadeAgainAfterAllStreamsHaveUsedThem) {
  const stand_in::Driver& driver = stand_in::Driver::loaded();
  const std::vector<double> late(8, 1.0), next(8, 2.0);
  std::vector<double> found(8);
  std::shared_ptr<void> memory = make(64);
  driver.write(address(memory), late.data(), 64, 7);
  memory.reset();
  memory = make(64);
  driver.write(address(memory), next.data(), 64, 0);
  driver.read(found.data(), address(memory), 64, 7);
  EXPECT_EQ(found, next);
}

TEST_F(DeviceTargets, AreZerosWhenTheyAreMadeAgainAsZeros) {
  const stand_in::Driver& driver = stand_in::Driver::loaded();
  std::vector<double> values(8, 1.0);
  std::shared_ptr<void> memory = make(64);
  const std::uintptr_t before = address(memory);
  driver.write(before, values.data(), 64, 0);
  memory.reset();
  memory = make(64, true);
  ASSERT_EQ(address(memory), before);
  driver.read(values.data(), before, 64, 1);
  EXPECT_EQ(values, std::vector<double>(8, 0.0));
}

TEST_F(DeviceTargets, ThatAreUnusedGiveWayToOthers) {
  const std::uint64_t before = counted(stand_in::allocations);
  for (Index k = 1; k < 4; ++k) make(4096 * k);
  EXPECT_EQ(counted(stand_in::allocations), before + 3);
  ask_for_too_much();
  EXPECT_EQ(counted(stand_in::allocations), before);
}

// Four that are unused, and what the board of the last move names.
TEST_F(DeviceTargets, AreFewThoughNoProcessClosesThem) {
  const std::uint64_t before = counted(stand_in::allocations);
  for (Index n = 10; n < 40; ++n) {
    Moved there(rows_to_columns(n), 8, 1, in_device_memory, in_device_memory);
    const auto source = there.source(), target = there.source();
    Redistribution back = there.plan().reversed();
    back(there.plan()(source->stamped()), target->stamped());
  }
  EXPECT_LE(counted(stand_in::allocations) - counted(stand_in::open_handles), before + 5);
  EXPECT_EQ(counted(stand_in::freed_open), 0U);
}
