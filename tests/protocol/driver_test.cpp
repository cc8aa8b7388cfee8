#include "support/stand_in_driver.hpp"
#include <tridap/c_array.hpp>
#include <tridap/check.hpp>
#include <tridap/internal/driver.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>

namespace {

using tridap::Buffer;
using tridap::CArray;
using tridap::DistArray;
using tridap::Index;
using tridap::IndexList;
using tridap::Memory;
namespace driver = tridap::driver;

using StandIn = stand_in::Driver;
using stand_in::device;
using stand_in::managed;
using stand_in::numbers;
using stand_in::pinned;

constexpr Index bytes = sizeof(double);

std::vector<double> packed(const Buffer& buffer) {
  std::vector<double> values(static_cast<std::size_t>(element_count(buffer)));
  pack(buffer, values.data());
  return values;
}

// The part of a buffer with these first indices, extents and steps.
Buffer strided(Buffer buffer, const IndexList& first, const IndexList& shape, const IndexList& steps) {
  auto* data = static_cast<std::byte*>(buffer.data);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    data += first[axis] * buffer.strides[axis];
    buffer.strides[axis] *= steps[axis];
  }
  buffer.data = data;
  buffer.shape = shape;
  return buffer;
}

DistArray array_of(Buffer buffer) {
  DistArray array;
  array.version = "0.10.0";
  for (const Index extent : buffer.shape) array.dim_data.push_back(tridap::undistributed(extent));
  array.buffer = std::move(buffer);
  return array;
}

std::string found(const Buffer& buffer) {
  const auto finding = driver::wrong_place(buffer);
  return finding ? finding->text() : "";
}

TEST(Driver, OfALibraryThatIsLoadedLaterIsFound) {
  EXPECT_EQ(driver::table(), nullptr);  // the first test: nothing has loaded it
  EXPECT_FALSE(driver::place_of(&bytes));
  StandIn::loaded();
  EXPECT_NE(driver::table(), nullptr);
  EXPECT_EQ(driver::table(), driver::table(Memory::Kind::cuda_managed));
  EXPECT_EQ(driver::table(Memory::Kind::host), nullptr);
  EXPECT_EQ(driver::table(Memory::Kind::sycl), nullptr);
}

TEST(Driver, KnowsAPlaceInTheMiddleOfAnAllocation) {
  const Buffer buffer = numbers({10});
  const auto place = driver::place_of(static_cast<std::byte*>(buffer.data) + 40);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->kind, driver::Place::Kind::device);
  EXPECT_EQ(place->device, 0);
  EXPECT_EQ(place->begin, reinterpret_cast<std::uintptr_t>(buffer.data));
  EXPECT_EQ(place->bytes, 80U);
  const Buffer other = numbers({10});
  EXPECT_NE(driver::place_of(other.data)->buffer_id, place->buffer_id);
  EXPECT_EQ(driver::place_of(&place)->kind, driver::Place::Kind::unknown);
}

TEST(Driver, FindsWrongPlaces) {
  std::vector<double> host(4);
  Buffer said = tridap::row_major(host.data(), {4});
  EXPECT_EQ(found(said), "");
  said.memory = {Memory::Kind::cuda, 0};
  EXPECT_NE(found(said).find("said to be in cuda:0 memory, but its address is in memory of the host"),
            std::string::npos);
  Buffer there = numbers({4});
  EXPECT_EQ(found(there), "");
  there.memory = {};
  EXPECT_NE(found(there).find("said to be in host memory, but its address is in cuda:0 memory"), std::string::npos);
  there.memory = {Memory::Kind::cuda, 1};
  EXPECT_NE(found(there).find("said to be in cuda:1 memory, but its address is in cuda:0 memory"), std::string::npos);
  there.memory = {Memory::Kind::cuda_managed, 0};
  EXPECT_NE(found(there).find("said to be in cuda_managed:0 memory"), std::string::npos);
  there.memory = {Memory::Kind::nowhere, 0};
  EXPECT_EQ(found(there), "");
  EXPECT_EQ(check(there).errors(), 0);
}

TEST(Driver, ManagedMemoryHasEveryPlace) {
  Buffer buffer = numbers({4}, {}, managed);
  for (const Memory& memory : {Memory{}, Memory{Memory::Kind::cuda, 0}, Memory{Memory::Kind::cuda, 1},
                               Memory{Memory::Kind::cuda_managed, 0}}) {
    buffer.memory = memory;
    EXPECT_EQ(found(buffer), "") << memory.name();
  }
}

TEST(Driver, PinnedMemoryIsTheHosts) {
  Buffer buffer = numbers({4}, {}, pinned);
  EXPECT_EQ(found(buffer), "");
  buffer.memory = {Memory::Kind::cuda, 0};
  EXPECT_NE(found(buffer).find("in pinned memory of the host"), std::string::npos);
}

TEST(Driver, WrongPlaceIsAnErrorOfCheckAndOfAnArrayOfC) {
  Buffer buffer = numbers({4});
  buffer.memory = {Memory::Kind::cuda, 1};
  EXPECT_EQ(check(buffer).errors(), 1);
  EXPECT_GE(check(array_of(buffer)).errors(), 1);
  buffer.memory = {Memory::Kind::cuda, 0};
  CArray c = tridap::to_c(array_of(buffer));
  c->buffer.device.id = 1;
  EXPECT_THROW(tridap::from_c(std::move(c)), tridap::Error);
}

TEST(Driver, CopiesStridedParts) {
  const IndexList whole = {4, 5, 6};
  std::vector<double> values(120);
  std::iota(values.begin(), values.end(), 0.0);
  const Buffer host = tridap::row_major(values.data(), whole), there = numbers(whole);
  int copied = 0;
  for (const Index a : {-2, -1, 1, 3})
    for (const Index b : {-3, -1, 1, 2})
      for (const Index c : {-1, 1, 4})
        for (const int turned : {0, 1}) {
          const IndexList steps = {a, b, c};
          IndexList first, shape;
          for (std::size_t axis = 0; axis < 3; ++axis) {
            shape.push_back((whole[axis] + std::abs(steps[axis]) - 1) / std::abs(steps[axis]));
            first.push_back(steps[axis] < 0 ? whole[axis] - 1 : 0);
          }
          Buffer from = strided(there, first, shape, steps), expected = strided(host, first, shape, steps);
          if (turned == 1)
            for (Buffer* each : {&from, &expected}) {
              std::swap(each->shape[0], each->shape[2]);
              std::swap(each->strides[0], each->strides[2]);
            }
          const Buffer down = driver::copy_to(from, {});
          ASSERT_EQ(packed(down), packed(expected)) << a << " " << b << " " << c;
          const Buffer up = driver::copy_to(expected, {Memory::Kind::cuda, 0});
          ASSERT_EQ(packed(driver::copy_to(driver::copy_to(up, up.memory), {})), packed(expected));
          ++copied;
        }
  EXPECT_EQ(copied, 96);
}

TEST(Driver, CopiesIntoAPartAndLeavesTheRest) {
  const Buffer there = numbers({4, 6});
  std::vector<double> ones(6, -1.0);
  driver::copy(tridap::row_major(ones.data(), {2, 3}), strided(there, {1, 1}, {2, 3}, {2, 2}));
  std::vector<double> expected(24);
  std::iota(expected.begin(), expected.end(), 0.0);
  for (const std::size_t i : {7U, 9U, 11U, 19U, 21U, 23U}) expected[i] = -1;
  EXPECT_EQ(packed(driver::copy_to(there, {})), expected);
}

TEST(Driver, CopyWaitsForTheLegacyStreamAlone) {
  const Buffer legacy = numbers({3}, {Memory::Kind::cuda, 0}, device, 1),
               other = numbers({3}, {Memory::Kind::cuda, 0}, device, 500);
  EXPECT_EQ(packed(driver::copy_to(legacy, {})), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(packed(driver::copy_to(other, {})), (std::vector<double>{0, 0, 0}));
}

TEST(Driver, StreamOfAnArrayOfCIsWaitedFor) {
  CArray c = tridap::to_c(array_of(numbers({3}, {Memory::Kind::cuda, 0}, device, 501)));
  c->buffer.device.stream = reinterpret_cast<void*>(std::uintptr_t{501});
  const DistArray array = tridap::from_c(std::move(c));
  EXPECT_EQ(packed(driver::copy_to(array.buffer, {})), (std::vector<double>{0, 1, 2}));
}

TEST(Driver, EventOfAnArrayOfCIsWaitedForAndNotItsStream) {
  const StandIn& s = StandIn::loaded();
  CArray c = tridap::to_c(array_of(numbers({3}, {Memory::Kind::cuda, 0}, device, 502)));
  c->buffer.device.stream = reinterpret_cast<void*>(std::uintptr_t{502});
  c->buffer.device.event = s.event(502);
  const double late[] = {7, 7, 7};
  s.write(reinterpret_cast<std::uintptr_t>(c->buffer.data), late, sizeof(late), 502);  // after the event
  const DistArray array = tridap::from_c(std::move(c));
  EXPECT_EQ(packed(driver::copy_to(array.buffer, {})), (std::vector<double>{0, 1, 2}));
}

TEST(Driver, ManagedArrayOfCIsReadyForTheHost) {
  CArray c = tridap::to_c(array_of(numbers({3}, {Memory::Kind::cuda_managed, 0}, managed, 503)));
  c->buffer.device.stream = reinterpret_cast<void*>(std::uintptr_t{503});
  EXPECT_EQ(packed(tridap::from_c(std::move(c)).buffer), (std::vector<double>{0, 1, 2}));
}

TEST(Driver, StreamOfHostMemoryIsRefused) {
  std::vector<double> host(3);
  CArray c = tridap::to_c(array_of(tridap::row_major(host.data(), {3})));
  c->buffer.device.stream = reinterpret_cast<void*>(std::uintptr_t{1});
  EXPECT_THROW(tridap::from_c(std::move(c)), tridap::Error);
}

TEST(Driver, DeviceThatIsNotInUseIsNotStarted) {
  StandIn::loaded();
  const Memory second{Memory::Kind::cuda, 1};
  EXPECT_TRUE(driver::is_started({Memory::Kind::cuda, 0}));
  EXPECT_FALSE(driver::is_started(second));
  EXPECT_FALSE(driver::is_started({Memory::Kind::cuda, 7}));
  EXPECT_THROW(driver::allocate(second, 8), tridap::Error);
  EXPECT_FALSE(driver::is_started(second));
}

TEST(Driver, OursWaitsForTheStreamThatTheCallerNames) {
  for (const std::uintptr_t stream : {std::uintptr_t{510}, std::uintptr_t{2}}) {
    const Buffer there = numbers({3}, {Memory::Kind::cuda, 0}, device, stream);
    for (const tridap::DeviceStream none :
         {tridap::DeviceStream(), tridap::DeviceStream(1), tridap::DeviceStream(-1)}) {
      driver::order_ours_after(there.memory, none);
      EXPECT_EQ(packed(driver::copy_to(there, {})), (std::vector<double>{0, 0, 0}));
    }
    driver::order_ours_after(there.memory, reinterpret_cast<void*>(stream));
    EXPECT_EQ(packed(driver::copy_to(there, {})), (std::vector<double>{0, 1, 2}));
  }
}

TEST(Driver, StreamThatTheCallerNamesWaitsForOurs) {
  const StandIn& s = StandIn::loaded();
  for (const Index stream : {Index{2}, Index{511}, Index{-1}}) {
    const Buffer there = numbers({2}, {Memory::Kind::cuda, 0}, device, 1);  // written late, on the default stream
    driver::order_after_ours(there.memory, stream);
    std::array<double, 2> seen{};
    s.read(seen.data(), reinterpret_cast<std::uintptr_t>(there.data), sizeof(seen),
           stream == -1 ? 512 : static_cast<std::uintptr_t>(stream));
    EXPECT_EQ(seen[1], stream == -1 ? 0 : 1);
  }
}

TEST(Driver, StreamsHaveTheNumbersOfDLPack) {
  StandIn::loaded();
  const Memory cuda{Memory::Kind::cuda, 0}, rocm{Memory::Kind::hip, 0};
  for (const Index wrong : {-2, 0}) EXPECT_THROW(driver::order_ours_after(cuda, wrong), tridap::Error);
  for (const Index wrong : {-2, 1, 2}) EXPECT_THROW(driver::order_after_ours(rocm, wrong), tridap::Error);
  driver::order_after_ours(rocm, 0);  // this process has no ROCm, and needs none for the default stream
  driver::order_after_ours(rocm, -1);
  EXPECT_THROW(driver::order_after_ours(rocm, 500), tridap::Error);
}

TEST(Driver, LeavesNoContextEventOrMemory) {
  const StandIn& s = StandIn::loaded();
  const auto before = s.count(0), events = s.count(1);
  {
    const Buffer there = numbers({5});
    const Buffer copy = driver::copy_to(there, there.memory);
    driver::order_after(there.memory, nullptr, driver::per_thread_stream);
    EXPECT_EQ(s.count(0), before + 2);
  }
  EXPECT_EQ(s.count(0), before);
  EXPECT_EQ(s.count(1), events);
  EXPECT_EQ(s.count(2), 0U);
}

TEST(Driver, OtherTableTakesItsPlace) {
  StandIn::loaded();
  driver::Table other = *driver::table();
  other.pointer_attributes = [](unsigned, const int*, void**, std::uintptr_t) { return 3; };
  driver::use_table(&other);
  EXPECT_FALSE(driver::place_of(&other));
  driver::use_table(nullptr);
  EXPECT_TRUE(driver::place_of(&other));
}

}  // namespace
