#include "device/device_moved.hpp"

#include <gtest/gtest.h>

using namespace on_device;

namespace {

std::optional<int> in_a_pool(Dice&) { return stand_in::pool; }

bool is_real() { return stand_in::Driver::loaded().is_real; }

/// Bytes that this process copies between the host and its device in one move of what `in` says, the second one.
std::uint64_t crossed_in(const Case& given, const Where& in, Index bytes) {
  Moved moved(given, bytes, 1, in, in);
  const auto source = moved.source(), target = moved.target();
  moved.expect_moves(*source, *target, 1, "first");
  moved.fill(*source, *target, 2);
  const std::uint64_t before = counted(stand_in::crossed_bytes);
  moved.plan()(source->stamped(), target->stamped());
  const std::uint64_t crossed = counted(stand_in::crossed_bytes) - before;
  moved.expect_moved(*source, *target, 2, "second");
  return crossed;
}

}  // namespace

TEST(DeviceSlots, ElementsOfOneProcessAloneStayOnItsDevice) {
  if (is_real()) GTEST_SKIP() << "a real driver counts nothing";
  if (on::processes(world) > 1) GTEST_SKIP() << "needs 1 process";
  EXPECT_EQ(crossed_in(rows_to_columns(200), in_a_pool, 8), 0U);
}

// Each element that another process gets is copied to the host once, and each that comes from another once back.
TEST(DeviceSlots, WhatStaysOnAProcessStaysOnItsDevice) {
  if (is_real()) GTEST_SKIP() << "a real driver counts nothing";
  const auto p = static_cast<std::uint64_t>(on::processes(world));
  constexpr std::uint64_t block = 60 * 60 * 8;  // bytes that one process sends to each
  EXPECT_EQ(crossed_in(rows_to_columns(60 * on::processes(world)), in_a_pool, 8), 2 * (p - 1) * block);
}

TEST(DeviceSlots, LongerThanASlotAreMovedInPieces) {
  const Index n = 700;  // 4 MB
  for (const Index bytes : {8, 12}) {
    Moved moved(rows_to_columns(n), bytes, 2, in_a_pool, in_a_pool);
    const auto source = moved.source(), target = moved.target();
    moved.expect_moves(*source, *target, 1, "slots of a node");
    Moved messages(rows_to_columns(n), bytes, 2, in_a_pool, in_a_pool, Path::messages);
    messages.expect_moves(*source, *target, 2, "messages");
  }
}

TEST(DeviceSlots, AreNamedByThePlan) {
  stand_in::Driver::loaded();
  Moved moved(rows_to_columns(30), 8, 1, in_a_pool, in_a_pool);
  const auto said = [&](const char* text) { return moved.plan().explain().find(text) != std::string::npos; };
  EXPECT_FALSE(said("The last move"));
  const auto source = moved.source(), target = moved.target();
  moved.expect_moves(*source, *target, 1, "without a handle");
  if (on::processes(world) > 1 && on_one_node()) {
    EXPECT_TRUE(said("through slots in the memory of the host, because memory of this process has no handle"));
  }
  Moved pulled(rows_to_columns(30), 8, 1, in_device_memory, in_device_memory);
  const auto from = pulled.source(), to = pulled.target();
  pulled.expect_moves(*from, *to, 1, "with handles");
  if (on_one_node()) {
    EXPECT_NE(pulled.plan().explain().find("The last move was one kernel on each device"), std::string::npos);
  }
}

// tests/device/aware_mpi.cpp plays an MPI that knows CUDA.
TEST(DeviceSlots, OfMessagesAreOnTheDeviceIfMpiReadsIt) {
  if (is_real()) GTEST_SKIP() << "this MPI may not read the memory of devices";
  const Where some = [](Dice& dice) { return dice.one_in(2) ? std::nullopt : in_a_pool(dice); };
  for (const Where& where : {Where(in_a_pool), some})
    for (const Index bytes : {1, 8, 24}) {
      Moved moved(rows_to_columns(300), bytes, bytes, where, where, Path::messages, world, true);
      const auto source = moved.source(), target = moved.target();
      const std::uint64_t before = counted(stand_in::crossed_bytes);
      moved.expect_moves(*source, *target, 1, "messages");
      const std::uint64_t crossed = counted(stand_in::crossed_bytes) - before;
      if (source->is_on_device() && target->is_on_device()) {
        EXPECT_LT(crossed, 100000U) << "tables alone";
      }
    }
}

TEST(DeviceSlots, ArePinnedOnceAndLetGoWithTheirCommunicator) {
  if (is_real()) GTEST_SKIP() << "a real driver counts nothing";
  if (on::processes(world) < 2) GTEST_SKIP() << "needs at least 2 processes";
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world, &comm);
  const std::uint64_t before = counted(stand_in::pinned_pieces);
  std::uint64_t pinned = 0;
  for (const Index n : {12 * on::processes(world), 18 * on::processes(world)}) {
    Moved moved(rows_to_columns(n), 8, 2, in_a_pool, in_a_pool, Path::automatic, comm);
    const auto source = moved.source(), target = moved.target();
    moved.expect_moves(*source, *target, 1, "pinned");
    if (pinned == 0) pinned = counted(stand_in::pinned_pieces);
    EXPECT_GT(pinned, before);
    EXPECT_EQ(counted(stand_in::pinned_pieces), pinned);
  }
  MPI_Comm_free(&comm);
  EXPECT_EQ(counted(stand_in::pinned_pieces), before);
}
