#include "device/device_moved.hpp"
#include <tridap/device/device.hpp>
#include <tridap/make.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

using namespace on_device;

namespace {

/// What processes know of the sources of others, over the stand-in. An array of n elements for each process is dealt
/// one by one.
class DeviceSources : public testing::Test {
 protected:
  static constexpr Index n = 12;  // so that each process reads from every one

  void SetUp() override {
    if (!on_one_node()) GTEST_SKIP() << "between nodes, no process opens the memory of another";
    if (stand_in::Driver::loaded().is_real) GTEST_SKIP() << "a real driver counts nothing";
    if (processes_ < 2) GTEST_SKIP() << "needs at least 2 processes";
    tridap::device::close(world);
    MPI_Comm_dup(world, &comm_);
  }
  void TearDown() override {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }

  /// Elements that stand `stride` apart in `memory`.
  static DistArray array_in(const tridap::Buffer& memory, Index first, Index stride) {
    DistArray array;
    array.buffer = memory;
    array.buffer.shape = {n};
    array.buffer.strides = {8 * stride};
    array.buffer.data = static_cast<std::byte*>(memory.data) + 8 * first;
    return array;
  }
  Redistribution deal(MPI_Comm comm) const {
    const auto of = tridap::Distribution::make({n * processes_}, {tridap::block()}, {processes_});
    const auto to = tridap::Distribution::make({n * processes_}, {tridap::cyclic()}, {processes_});
    return {of, to, 8, comm};
  }
  /// Local index k of every process's source has the value first + stride * k + salt.
  void expect_dealt(const DistArray& target, Index first, Index stride, Index salt = 0) const {
    std::vector<double> found(n);
    stand_in::Driver::loaded().read(found.data(), reinterpret_cast<std::uintptr_t>(target.buffer.data), 8 * n, 1);
    for (Index k = 0; k < n; ++k)
      EXPECT_EQ(found[static_cast<std::size_t>(k)],
                static_cast<double>(first + stride * ((on::rank(world) + k * processes_) % n) + salt));
  }
  static DistArray source(Index salt = 0) {
    DistArray array = array_in(stand_in::numbers({n}), 0, 1);
    std::vector<double> values;
    for (Index k = 0; k < n; ++k) values.push_back(static_cast<double>(k + salt));
    stand_in::Driver::loaded().write(reinterpret_cast<std::uintptr_t>(array.buffer.data), values.data(), 8 * n, 0);
    return array;
  }
  /// A source in the place of one that is freed.
  static DistArray in_place_of(DistArray& freed, Index salt) {
    const void* const place = freed.buffer.data;
    freed = {};
    std::vector<DistArray> others;  // in other places
    for (int tries = 0; tries < 100; ++tries) {
      others.push_back(source(salt));
      if (others.back().buffer.data == place) return others.back();
    }
    ADD_FAILURE() << "the stand-in does not use an address again";
    return others.back();
  }

  const Index processes_ = on::processes(world);
  const std::uint64_t others_ = static_cast<std::uint64_t>(processes_ - 1);
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace

TEST_F(DeviceSources, OfOneAllocationAreToldApart) {
  const tridap::Buffer memory = stand_in::numbers({3 * n});
  Redistribution plan = deal(comm_);
  const std::uint64_t before = counted(stand_in::open_handles);
  const std::vector<std::pair<Index, Index>> all = {{0, 1}, {n, 1}, {0, 2}, {n, 2}};
  for (int time = 0; time < 2; ++time)
    for (const auto& [first, stride] : all) expect_dealt(plan(array_in(memory, first, stride)), first, stride);
  EXPECT_EQ(counted(stand_in::open_handles), before + others_);
}

TEST_F(DeviceSources, OfOnePlanAreCopiedAndScaledInTurn) {
  Redistribution plan = deal(comm_);
  const DistArray from = source(), to = source();
  for (const Index factor : {1, 2, 1}) {
    plan(from, to, {static_cast<double>(factor), 0.0});
    expect_dealt(to, 0, factor);
  }
}

// 15 arrays fill a board. A new one takes the place of the oldest that its move does not use.
TEST_F(DeviceSources, OfAMoveKeepTheirEntries) {
  Redistribution plan = deal(comm_);
  std::vector<DistArray> sources;
  for (Index k = 0; k < 15; ++k) {
    sources.push_back(source(100 * k));
    expect_dealt(plan(sources.back()), 0, 1, 100 * k);
  }
  const DistArray fresh = source(7);
  const DistArray first = array_in(stand_in::numbers({n}), 0, 1), second = array_in(stand_in::numbers({n}), 0, 1);
  plan(std::vector<Move>{{sources[0], first}, {fresh, second}});
  expect_dealt(first, 0, 1);
  expect_dealt(second, 0, 1, 7);
}

TEST_F(DeviceSources, ThatAreFreedAreClosedThoughTheirAddressIsUsed) {
  Redistribution plan = deal(comm_);
  const std::uint64_t before = counted(stand_in::open_handles);
  DistArray freed = source();
  expect_dealt(plan(freed), 0, 1);
  const DistArray none = in_place_of(freed, 1), other = source(2);
  expect_dealt(plan(other), 0, 1, 2);
  EXPECT_EQ(counted(stand_in::open_handles), before + others_);
}

// The first process has the source, and the last one the target.
TEST_F(DeviceSources, AreOpenedForEachDeviceThatReadsThem) {
  const stand_in::Driver& driver = stand_in::Driver::loaded();
  driver.use(1);
  using tridap::redistribute::PlacedDistribution;
  const auto whole = tridap::Distribution::make({n}, {tridap::block()}, {1});
  const Index last = processes_ - 1;
  Redistribution plan(PlacedDistribution(whole, {0}), PlacedDistribution(whole, {last}), 8, comm_);
  const DistArray from = on::rank(world) == 0 ? source(3) : DistArray{};
  for (const int device : {0, 1, 0}) {
    DistArray to;
    if (on::rank(world) == last) to.buffer = stand_in::numbers({n}, {Memory::Kind::cuda, device});
    plan(from, to);
    EXPECT_NE(plan.explain().find("one kernel on each device"), std::string::npos);
    if (on::rank(world) != last) continue;
    std::vector<double> found(n);
    driver.read(found.data(), reinterpret_cast<std::uintptr_t>(to.buffer.data), 8 * n, 1);
    for (Index k = 0; k < n; ++k) EXPECT_EQ(found[static_cast<std::size_t>(k)], static_cast<double>(k + 3));
  }
}

// The board of one communicator still names the memory that was freed, when another one opens what is there now.
TEST_F(DeviceSources, InThePlaceOfOthersAreOpenedAnew) {
  MPI_Comm second = MPI_COMM_NULL;
  MPI_Comm_dup(world, &second);
  Redistribution plan = deal(comm_), other = deal(second);
  const std::uint64_t before = counted(stand_in::open_handles);
  DistArray freed = source();
  expect_dealt(plan(freed), 0, 1);
  const DistArray now = in_place_of(freed, 1);
  expect_dealt(other(now), 0, 1, 1);
  EXPECT_EQ(counted(stand_in::open_handles), before + others_);
  expect_dealt(plan(now), 0, 1, 1);
  EXPECT_EQ(counted(stand_in::open_handles), before + others_);
  MPI_Comm_free(&second);
}
