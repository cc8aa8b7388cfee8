#include "device_slots.hpp"

#include "device/device_moved.hpp"
#include <tridap/device/device.hpp>
#include <tridap/make.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <memory>
#include <utility>
#include <vector>

using namespace on_device;

namespace {

std::optional<int> in_a_pool(Dice&) { return stand_in::pool; }

bool is_real() { return stand_in::Driver::loaded().is_real; }

/// Bytes that this process copies between the host and its device in one move of what `in` says, the second one.
std::uint64_t crossed_in(const Case& given, const Where& in, Index bytes, Path path = Path::automatic) {
  Moved moved(given, bytes, 1, in, in, path);
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
  for (const Path path : {Path::automatic, Path::staged, Path::messages})
    EXPECT_EQ(crossed_in(rows_to_columns(200), in_a_pool, 8, path), 0U);
}

// Each element that another process gets is copied to the host once, and each that comes from another once back.
TEST(DeviceSlots, WhatStaysOnAProcessStaysOnItsDevice) {
  if (is_real()) GTEST_SKIP() << "a real driver counts nothing";
  const auto p = static_cast<std::uint64_t>(on::processes(world));
  constexpr std::uint64_t block = 60 * 60 * 8;  // bytes that one process sends to each
  EXPECT_EQ(crossed_in(rows_to_columns(60 * on::processes(world)), in_a_pool, 8), 2 * (p - 1) * block);
}

// Each process sends more to each other one than eight slots of a ring, or several messages, hold.
TEST(DeviceSlots, LongerThanASlotAreMovedInPieces) {
  stand_in::Driver::loaded();
  using tridap::redistribute::SlotLengths;
  const SlotLengths usual = SlotLengths::of_new_slots();
  SlotLengths::of_new_slots() = {Index{128} << 10, Index{16} << 10, Index{64} << 10};
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world, &comm);
  for (const Index bytes : {8, 12})
    for (const Path path : {Path::automatic, Path::messages}) {
      Moved moved(rows_to_columns(360), bytes, 2, in_a_pool, in_a_pool, path, comm);
      const auto source = moved.source(), target = moved.target();
      moved.expect_moves(*source, *target, 1, "in pieces");
      if (bytes == 8) moved.expect_moves(*source, *target, 2, "again");
    }
  MPI_Comm_free(&comm);
  SlotLengths::of_new_slots() = usual;
}

TEST(DeviceSlots, HoldElementsOfSeveralArrays) {
  stand_in::Driver::loaded();
  for (const Path path : {Path::automatic, Path::messages}) {
    Moved moved(rows_to_columns(60), 8, 1, in_a_pool, in_a_pool, path);
    std::vector<std::unique_ptr<Part>> sources, targets;
    std::vector<Move> all;
    for (Index k = 0; k < 3; ++k) {
      sources.push_back(moved.source());
      targets.push_back(moved.target());
      moved.fill(*sources.back(), *targets.back(), k);
      all.push_back({sources.back()->stamped(), targets.back()->stamped()});
    }
    moved.plan()(all);
    for (std::size_t k = 0; k < 3; ++k)
      moved.expect_moved(*sources[k], *targets[k], static_cast<Index>(k), "one of three");
  }
}

// A kernel reaches the memory of its own device alone.
TEST(DeviceSlots, BetweenTwoDevicesOfAProcess) {
  if (is_real()) GTEST_SKIP() << "this machine may have one device";
  const stand_in::Driver& driver = stand_in::Driver::loaded();
  const Index p = on::processes(world);
  const auto of = tridap::Distribution::make({4 * p}, {tridap::block()}, {p});
  const auto to = tridap::Distribution::make({4 * p}, {tridap::cyclic()}, {p});
  DistArray source, target;
  source.buffer = stand_in::numbers({4});
  target.buffer = source.buffer;
  driver.use(1);
  const std::uintptr_t there = driver.allocate(32, 1, stand_in::device);
  target.buffer.data = reinterpret_cast<void*>(there);
  target.buffer.owner = {target.buffer.data, [&driver, there](void*) { driver.free(there); }};
  target.buffer.memory.device = 1;
  for (const bool mpi_reads : {false, true}) {
    Options options;
    options.mpi_reads_devices = mpi_reads;
    Redistribution(of, to, 8, world, options)(source, target);
    std::vector<double> found(4);
    driver.read(found.data(), there, 32, 1);
    for (Index k = 0; k < 4; ++k)
      EXPECT_EQ(found[static_cast<std::size_t>(k)], static_cast<double>((on::rank(world) + k * p) % 4));
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
    for (const Index bytes : {4, 8, 24}) {
      Moved moved(rows_to_columns(200), bytes, bytes, where, where, Path::messages, world, true);
      const auto source = moved.source(), target = moved.target();
      const std::uint64_t before = counted(stand_in::crossed_bytes);
      moved.expect_moves(*source, *target, 1, "messages");
      const std::uint64_t crossed = counted(stand_in::crossed_bytes) - before;
      if (source->is_on_device() && target->is_on_device()) {
        EXPECT_LT(crossed, 40000U) << "tables alone";
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

// Tables of moves without slots are, too.
TEST(DeviceSlots, AreOnTheDeviceOfTheArraysOfEachMove) {
  if (is_real()) GTEST_SKIP() << "this machine may have one device";
  const stand_in::Driver& driver = stand_in::Driver::loaded();
  driver.use(1);
  const Index p = on::processes(world);
  const auto of = tridap::Distribution::make({4 * p}, {tridap::block()}, {p});
  const auto to = tridap::Distribution::make({4 * p}, {tridap::cyclic()}, {p});
  using Way = std::pair<stand_in::Kind, Path>;
  for (const auto& [kind, path] : {Way{stand_in::pool, Path::automatic}, Way{stand_in::pool, Path::messages},
                                   Way{stand_in::device, Path::automatic}}) {
    Options options;
    options.path = path;
    options.mpi_reads_devices = path == Path::messages;
    Redistribution plan(of, to, 8, world, options);
    for (const int device : {0, 1, 0}) {
      DistArray source, target;
      source.buffer = stand_in::numbers({4}, {Memory::Kind::cuda, device}, kind);
      target.buffer = stand_in::numbers({4}, {Memory::Kind::cuda, device}, kind);
      plan(source, target);
      std::vector<double> values(4);
      driver.read(values.data(), reinterpret_cast<std::uintptr_t>(target.buffer.data), 32, 1);
      for (Index k = 0; k < 4; ++k)
        EXPECT_EQ(values[static_cast<std::size_t>(k)], static_cast<double>((on::rank(world) + k * p) % 4));
    }
  }
}

// A kernel moves words of 8 bytes, and then, at addresses that only 4 divides, words of 4.
TEST(DeviceSlots, HaveWordsThatDivideTheAddressesOfEachMove) {
  const stand_in::Driver& driver = stand_in::Driver::loaded();
  const Index p = on::processes(world);
  const auto of = tridap::Distribution::make({4 * p}, {tridap::block()}, {p});
  const auto to = tridap::Distribution::make({4 * p}, {tridap::cyclic()}, {p});
  for (const int kind : {stand_in::pool, stand_in::device}) {
    Redistribution plan(of, to, 8, world);
    const std::uintptr_t memory = driver.allocate(80, 0, kind);
    for (const Index offset : {0, 4, 0}) {
      std::vector<float> values(20, -1.0F);
      for (Index k = 0; k < 8; ++k) values[static_cast<std::size_t>(offset / 4 + k)] = static_cast<float>(k);
      driver.write(memory, values.data(), 80, 0);
      DistArray source, target;
      for (DistArray* const array : {&source, &target}) {
        const Index first = offset + (array == &source ? 0 : 40);
        array->buffer = tridap::row_major<std::complex<float>>(nullptr, {4});
        array->buffer.data = reinterpret_cast<void*>(memory + static_cast<std::uintptr_t>(first));
        array->buffer.memory = cuda;
      }
      plan(source, target);
      driver.read(values.data(), memory, 80, 1);
      for (Index k = 0; k < 8; ++k)
        EXPECT_EQ(values[static_cast<std::size_t>((offset + 40) / 4 + k)],
                  static_cast<float>(2 * ((on::rank(world) + k / 2 * p) % 4) + k % 2))
            << offset;
    }
    driver.free(memory);
  }
}

TEST(DeviceSlots, LeaveNothingOnADeviceThatIsClosed) {
  if (is_real()) GTEST_SKIP() << "a real driver counts nothing";
  tridap::device::close(world);
  const std::uint64_t before = counted(stand_in::allocations);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world, &comm);
  {
    // longer pieces than those of other tests
    Moved moved(rows_to_columns(46 * on::processes(world)), 64, 1, in_a_pool, in_a_pool, Path::automatic, comm);
    const auto source = moved.source(), target = moved.target();
    moved.expect_moves(*source, *target, 1, "through slots");
  }
  MPI_Comm_free(&comm);
  tridap::device::close(world);
  EXPECT_EQ(counted(stand_in::allocations), before);
}
