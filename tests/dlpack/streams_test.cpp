#include "support/stand_in_driver.hpp"
#include <tridap/dlpack.hpp>
#include <tridap/internal/driver.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace {

using stand_in::numbers;
using tridap::DeviceStream;
using tridap::DistArray;
using tridap::Index;
using tridap::Memory;
using Numbers = std::array<double, 3>;

constexpr Memory cuda{Memory::Kind::cuda, 0};

// 0, 1, 2 in memory of the stand-in, written late on a stream.
DistArray written_on(std::uintptr_t stream, Memory memory = cuda, int kind = stand_in::device) {
  DistArray array;
  array.dim_data = {tridap::undistributed(3)};
  array.buffer = numbers({3}, memory, kind, stream);
  return array;
}

Numbers seen_on(std::uintptr_t stream, const tridap::Buffer& buffer) {
  Numbers seen{};
  stand_in::Driver::loaded().read(seen.data(), reinterpret_cast<std::uintptr_t>(buffer.data), sizeof(seen), stream);
  return seen;
}

TEST(DLPackStreams, TheConsumersStreamWaitsForOurs) {
  for (const bool versioned : {false, true})
    for (const Index stream : {Index{2}, Index{700}, Index{-1}}) {
      const DistArray array = written_on(1);
      if (versioned)
        tridap::dlpack::import_versioned(array, stream);
      else
        tridap::dlpack::import_array(array, stream);
      const Numbers seen = seen_on(stream == -1 ? 701 : static_cast<std::uintptr_t>(stream), array.buffer);
      EXPECT_EQ(seen, stream == -1 ? Numbers{} : (Numbers{0, 1, 2}));
    }
}

TEST(DLPackStreams, OursWaitsForTheProducers) {
  for (const bool versioned : {false, true})
    for (const bool named : {false, true}) {
      const DistArray array = written_on(702);
      const DeviceStream producer = named ? DeviceStream(702) : DeviceStream();
      const DistArray back =
          versioned ? tridap::dlpack::export_array(tridap::dlpack::import_versioned(array).tensor, producer).array
                    : tridap::dlpack::export_array(tridap::dlpack::import_array(array).tensor, producer).array;
      EXPECT_EQ(seen_on(1, back.buffer), named ? (Numbers{0, 1, 2}) : Numbers{});
    }
}

TEST(DLPackStreams, ManagedMemoryIsReadyForTheHost) {
  auto tensor =
      tridap::dlpack::import_array(written_on(703, {Memory::Kind::cuda_managed, 0}, stand_in::managed)).tensor;
  const DistArray back = tridap::dlpack::export_array(std::move(tensor), 703).array;
  EXPECT_EQ(static_cast<const double*>(back.buffer.data)[2], 2);
}

TEST(DLPackStreams, StreamThatDoesNotExistIsRefused) {
  const DistArray array = written_on(0);
  for (const Index wrong : {-2, 0}) {
    EXPECT_THROW(tridap::dlpack::import_versioned(array, wrong), tridap::Error);
    EXPECT_THROW(tridap::dlpack::export_array(tridap::dlpack::import_array(array).tensor, wrong), tridap::Error);
  }
}

TEST(DLPackStreams, HostMemoryHasNone) {
  std::array<double, 3> host{};
  DistArray array;
  array.dim_data = {tridap::undistributed(3)};
  array.buffer = tridap::row_major(host.data(), {3});
  EXPECT_TRUE(tridap::dlpack::import_versioned(array, 704).tensor);
}

}  // namespace
