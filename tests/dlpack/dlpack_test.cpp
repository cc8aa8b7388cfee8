#include "support/same_array.hpp"
#include "support/thrown.hpp"
#include <tridap/check.hpp>
#include <tridap/dlpack.hpp>

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstddef>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <thread>

namespace {

using tridap::Buffer;
using tridap::DistArray;
using tridap::ElementType;
using tridap::Index;
using tridap::Memory;
using tridap::dlpack::Tensor;
using tridap::dlpack::VersionedTensor;
using Kind = ElementType::Kind;
using List = std::vector<Index>;

constexpr std::uint8_t boolean = 6;  // kDLBool, which DLPack 0.6 lacks
constexpr Index highest = std::numeric_limits<Index>::max();

/// A tensor as another library makes it: 2 x 3 floats in rows, the first at byte 8 of its memory.
struct Foreign {
  std::array<float, 8> memory = {0, 0, 1, 2, 3, 4, 5, 6};
  std::vector<std::int64_t> shape = {2, 3}, strides = {3, 1};
  DLManagedTensor tensor = {};
  int released = 0;

  Foreign() {
    DLTensor& t = tensor.dl_tensor;
    t.data = memory.data();
    t.byte_offset = 8;
    t.device = {kDLCPU, 0};
    t.ndim = 2;
    t.dtype = {kDLFloat, 32, 1};
    t.shape = shape.data();
    t.strides = strides.data();
    tensor.manager_ctx = this;
    tensor.deleter = [](DLManagedTensor* self) { ++static_cast<Foreign*>(self->manager_ctx)->released; };
  }
};

/// The same in the form of DLPack 1.
struct ForeignVersioned {
  Foreign foreign;
  DLManagedTensorVersioned tensor = {};
  int released = 0;

  ForeignVersioned() {
    tensor.version = {1, 1};
    tensor.manager_ctx = this;
    tensor.deleter = [](DLManagedTensorVersioned* self) {
      ++static_cast<ForeignVersioned*>(self->manager_ctx)->released;
    };
    tensor.dl_tensor = foreign.tensor.dl_tensor;
  }
};

DistArray local(Buffer buffer) {
  DistArray array;
  for (const Index extent : buffer.shape) array.dim_data.push_back(tridap::undistributed(extent));
  array.buffer = std::move(buffer);
  return array;
}

/// The addresses of all elements as DLPack defines them, walked index by index.
std::vector<std::uintptr_t> addresses(const DLTensor& tensor) {
  std::vector<std::uintptr_t> all = {reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset};
  for (int axis = 0; axis < tensor.ndim; ++axis) {
    std::vector<std::uintptr_t> next;
    for (const std::uintptr_t base : all)
      for (std::int64_t i = 0; i < tensor.shape[axis]; ++i)
        next.push_back(base + static_cast<std::uintptr_t>(i * tensor.strides[axis] * (tensor.dtype.bits / 8)));
    all = next;
  }
  return all;
}

std::vector<std::uintptr_t> addresses(const Buffer& buffer) {
  std::vector<std::uintptr_t> all = {reinterpret_cast<std::uintptr_t>(buffer.data)};
  for (std::size_t axis = 0; axis < buffer.shape.size(); ++axis) {
    std::vector<std::uintptr_t> next;
    for (const std::uintptr_t base : all)
      for (Index i = 0; i < buffer.shape[axis]; ++i)
        next.push_back(base + static_cast<std::uintptr_t>(i * buffer.strides[axis]));
    all = next;
  }
  return all;
}

TEST(DLPack, ATensorBecomesAnArrayOfTheSameMemory) {
  Foreign foreign;
  const auto [array, receipt] = tridap::dlpack::export_array(Tensor(&foreign.tensor));
  EXPECT_TRUE(tridap::check(array).ok());
  EXPECT_EQ(array.buffer.data, &foreign.memory[2]);
  EXPECT_EQ(array.buffer.type, tridap::element_type<float>());
  EXPECT_EQ(array.buffer.shape, (List{2, 3}));
  EXPECT_EQ(array.buffer.strides, (List{12, 4}));
  EXPECT_FALSE(array.buffer.read_only);
  EXPECT_EQ(array.dim_data[1].size, 3);
  EXPECT_TRUE(receipt.shared);
  EXPECT_EQ(receipt.bytes_copied, 0);
  EXPECT_TRUE(receipt.losses.empty());
  static_cast<float*>(array.buffer.data)[5] = 60;
  EXPECT_EQ(foreign.memory[7], 60);
}

TEST(DLPack, AnArrayBecomesATensorOfTheSameMemory) {
  std::array<double, 6> memory = {1, 2, 3, 4, 5, 6};
  const auto [tensor, receipt] = tridap::dlpack::import_array(local(tridap::row_major(memory.data(), {2, 3})));
  const DLTensor& t = tensor->dl_tensor;
  EXPECT_EQ(t.data, memory.data());
  EXPECT_EQ(t.byte_offset, 0u);
  EXPECT_EQ(t.ndim, 2);
  EXPECT_EQ(List(t.shape, t.shape + 2), (List{2, 3}));
  EXPECT_EQ(List(t.strides, t.strides + 2), (List{3, 1}));
  EXPECT_EQ(t.device.device_type, kDLCPU);
  EXPECT_TRUE(t.dtype.code == kDLFloat && t.dtype.bits == 64 && t.dtype.lanes == 1);
  EXPECT_TRUE(receipt.shared);
  EXPECT_TRUE(receipt.losses.empty());
  static_cast<double*>(t.data)[4] = 50;
  EXPECT_EQ(memory[4], 50);
}

TEST(DLPack, TheLastCopyOfTheArrayReleasesTheTensorOnce) {
  Foreign foreign;
  DistArray array = tridap::dlpack::export_array(Tensor(&foreign.tensor)).array;
  DistArray copy = array;
  array = {};
  EXPECT_EQ(foreign.released, 0);
  std::thread([&] { copy = {}; }).join();
  EXPECT_EQ(foreign.released, 1);
  foreign.tensor.deleter = nullptr;  // DLPack allows it: there is nothing to release
  EXPECT_EQ(tridap::dlpack::export_array(Tensor(&foreign.tensor)).array.ndim(), 2);
}

TEST(DLPack, TheTensorKeepsTheArraysMemory) {
  Buffer buffer = tridap::allocate(tridap::element_type<int>(), {4});
  const std::weak_ptr<void> memory = buffer.owner;
  DLManagedTensor* tensor = tridap::dlpack::import_array(local(std::move(buffer))).tensor.release();
  buffer = {};
  EXPECT_FALSE(memory.expired());
  static_cast<int*>(tensor->dl_tensor.data)[3] = 1;
  std::thread([tensor] { tensor->deleter(tensor); }).join();
  EXPECT_TRUE(memory.expired());
}

TEST(DLPack, EveryElementTypeOfBothIsTheSameInBoth) {
  const std::vector<std::pair<ElementType, DLDataType>> types = {
      {tridap::element_type<std::int8_t>(), {kDLInt, 8, 1}},
      {tridap::element_type<std::int16_t>(), {kDLInt, 16, 1}},
      {tridap::element_type<std::int32_t>(), {kDLInt, 32, 1}},
      {tridap::element_type<std::int64_t>(), {kDLInt, 64, 1}},
      {tridap::element_type<std::uint8_t>(), {kDLUInt, 8, 1}},
      {tridap::element_type<std::uint16_t>(), {kDLUInt, 16, 1}},
      {tridap::element_type<std::uint32_t>(), {kDLUInt, 32, 1}},
      {tridap::element_type<std::uint64_t>(), {kDLUInt, 64, 1}},
      {{Kind::floating, 2, true}, {kDLFloat, 16, 1}},
      {{Kind::bfloat, 2, true}, {kDLBfloat, 16, 1}},
      {tridap::element_type<float>(), {kDLFloat, 32, 1}},
      {tridap::element_type<double>(), {kDLFloat, 64, 1}},
      {tridap::element_type<std::complex<float>>(), {kDLComplex, 64, 1}},
      {tridap::element_type<std::complex<double>>(), {kDLComplex, 128, 1}},
      {tridap::element_type<bool>(), {boolean, 8, 1}}};
  std::size_t accepted = 0;
  for (const int code : {0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64, 128, 255})
    for (int bits = 0; bits < 256; ++bits)
      for (const int lanes : {0, 1, 2, 65535}) {
        Foreign foreign;
        const DLDataType dtype = {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits),
                                  static_cast<std::uint16_t>(lanes)};
        foreign.tensor.dl_tensor.dtype = dtype;
        try {
          const DistArray array = tridap::dlpack::export_array(Tensor(&foreign.tensor)).array;
          ++accepted;
          bool found = false;
          for (const auto& [type, d] : types)
            found = found || (d.code == code && d.bits == bits && lanes == 1 && type == array.buffer.type);
          EXPECT_TRUE(found) << code << " " << bits << " " << lanes;
          const DLDataType back = tridap::dlpack::import_versioned(array).tensor->dl_tensor.dtype;
          EXPECT_TRUE(back.code == code && back.bits == bits && back.lanes == 1);
        } catch (const tridap::Error&) {
        }
        EXPECT_EQ(foreign.released, 1);
      }
  EXPECT_EQ(accepted, types.size());
}

TEST(DLPack, RandomBuffersRoundTripWithTheSameAddresses) {
  std::mt19937 random(7);
  const auto below = [&](Index end) { return std::uniform_int_distribution<Index>(0, end - 1)(random); };
  std::vector<std::byte> memory(100000);
  const std::vector<ElementType> types = {tridap::element_type<std::int8_t>(), tridap::element_type<std::uint16_t>(),
                                          tridap::element_type<float>(), tridap::element_type<std::complex<double>>()};
  for (int round = 0; round < 3000; ++round) {
    Buffer buffer;
    buffer.type = types[static_cast<std::size_t>(below(4))];
    buffer.data = memory.data() + 50000 + below(16);
    for (Index axis = below(5); axis > 0; --axis) {
      buffer.shape.push_back(below(5));
      buffer.strides.push_back((below(401) - 200) * buffer.type.bytes);
    }
    const Memory::Kind kinds[] = {Memory::Kind::host, Memory::Kind::cuda, Memory::Kind::cuda_managed,
                                  Memory::Kind::hip};
    buffer.memory.kind = kinds[below(4)];
    buffer.memory.device = buffer.memory.kind == Memory::Kind::host ? 0 : below(3);
    const DistArray array = local(buffer);
    auto [tensor, receipt] = tridap::dlpack::import_array(array);
    ASSERT_EQ(addresses(tensor->dl_tensor), addresses(buffer));
    ASSERT_TRUE(receipt.losses.empty());
    const DistArray back = tridap::dlpack::export_array(std::move(tensor)).array;
    ASSERT_EQ(same_array::differs(array, back), "");
  }
}

TEST(DLPack, ATensorWithoutStridesIsRowMajor) {
  Foreign foreign;
  foreign.tensor.dl_tensor.strides = nullptr;
  EXPECT_EQ(tridap::dlpack::export_array(Tensor(&foreign.tensor)).array.buffer.strides, (List{12, 4}));
  Foreign scalar;
  scalar.tensor.dl_tensor.ndim = 0;
  scalar.tensor.dl_tensor.shape = scalar.tensor.dl_tensor.strides = nullptr;
  EXPECT_EQ(tridap::dlpack::export_array(Tensor(&scalar.tensor)).array.ndim(), 0);
}

TEST(DLPack, StridesOfAxesOfExtentOneAreIgnored) {
  Buffer buffer = tridap::allocate(tridap::element_type<double>(), {1, 3});
  buffer.strides = {5, 8};
  const auto [tensor, receipt] = tridap::dlpack::import_array(local(buffer));
  EXPECT_EQ(addresses(tensor->dl_tensor), addresses(buffer));
  Foreign foreign;
  foreign.shape = {1, 3};
  foreign.strides = {highest, 1};
  EXPECT_EQ(tridap::dlpack::export_array(Tensor(&foreign.tensor)).array.buffer.shape, (List{1, 3}));
}

TEST(DLPack, WhatATensorCannotSayOfADistributionIsReportedAsLost) {
  using Change = std::function<void(tridap::Dimension&)>;
  const std::vector<Change> changes = {[](tridap::Dimension& d) { d.proc_grid_size = 2; },
                                       [](tridap::Dimension& d) { d.proc_grid_rank = 1; },
                                       [](tridap::Dimension& d) { d.size = 5; },
                                       [](tridap::Dimension& d) { d.periodic = true; },
                                       [](tridap::Dimension& d) {
                                         d.extras = {{"units", "\"m\""}};
                                       },
                                       [](tridap::Dimension& d) {
                                         d.dist = tridap::Block{1, 4, {}};
                                       },
                                       [](tridap::Dimension& d) {
                                         d.dist = tridap::Block{0, 4, std::array<Index, 2>{0, 0}};
                                       },
                                       [](tridap::Dimension& d) { d.dist = tridap::Cyclic{}; },
                                       [](tridap::Dimension& d) { d.dist = tridap::Unstructured{}; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    DistArray array = local(tridap::allocate(tridap::element_type<double>(), {4}));
    changes[i](array.dim_data[0]);
    const tridap::Receipt receipt = tridap::dlpack::import_array(array).receipt;
    ASSERT_EQ(receipt.losses.size(), 1u) << i;
    on::expect_says(receipt.text(), "dim_data");
  }
}

TEST(DLPack, WhatDLPackCannotSayIsRefusedWithItsReason) {
  const auto expect = [](const std::string& says, auto change) {
    DistArray array = local(tridap::allocate(tridap::element_type<double>(), {2}));
    const std::weak_ptr<void> memory = array.buffer.owner;
    change(array.buffer);
    try {
      tridap::dlpack::import_array(std::move(array));
      ADD_FAILURE() << says;
    } catch (const tridap::Error& error) {
      on::expect_says(error.what(), says);
      EXPECT_EQ(error.report().errors(), 1) << error.what();
      EXPECT_NE(std::string(error.what()).find("]: "), std::string::npos) << "no remedy: " << error.what();
    }
    EXPECT_TRUE(memory.expired());
  };
  expect("read-only", [](Buffer& b) { b.read_only = true; });
  expect("elements are >f8", [](Buffer& b) { b.type.native_order = false; });
  expect("elements are float128", [](Buffer& b) { (b.type.bytes = 16, b.strides = {16}); });
  expect("elements are bool", [](Buffer& b) { b.type = tridap::element_type<bool>(); });
  expect("elements are void64", [](Buffer& b) { b.type.kind = Kind::opaque; });
  expect("axis 0: the stride is 12 bytes for 8-byte elements", [](Buffer& b) { b.strides = {12}; });
  expect("axis 0: the stride is -4 bytes", [](Buffer& b) { b.strides = {-4}; });
  expect("memory is sycl:0", [](Buffer& b) { b.memory.kind = Memory::Kind::sycl; });
  expect("memory is nowhere", [](Buffer& b) { b.memory.kind = Memory::Kind::nowhere; });
  expect("(device 1)", [](Buffer& b) { b.memory.device = 1; });
  expect("memory is cuda:4294967296", [](Buffer& b) { b.memory = {Memory::Kind::cuda, Index{1} << 32}; });
  expect("memory is hip:-1", [](Buffer& b) { b.memory = {Memory::Kind::hip, -1}; });
  expect("1 extents and 2 strides", [](Buffer& b) { b.strides = {8, 8}; });
}

TEST(DLPack, AMalformedTensorIsReleasedAndRefused) {
  const auto expect = [](const std::string& says, const std::function<void(Foreign&)>& change) {
    Foreign foreign;
    change(foreign);
    try {
      tridap::dlpack::export_array(Tensor(&foreign.tensor));
      ADD_FAILURE() << says;
    } catch (const tridap::Error& error) {
      EXPECT_EQ(foreign.released, 1);
      on::expect_says(error.what(), says);
      EXPECT_EQ(error.report().errors(), 1) << error.what();
    }
  };
  for (const int ndim : {-1, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()})
    expect("the tensor has " + std::to_string(ndim) + " axes", [=](Foreign& f) { f.tensor.dl_tensor.ndim = ndim; });
  expect("shape is NULL", [](Foreign& f) { f.tensor.dl_tensor.shape = nullptr; });
  expect("an extent of -1", [](Foreign& f) { f.shape[0] = -1; });
  for (const Index extent : {Index{1} << 62, highest}) {
    expect("does not fit 64 bits", [=](Foreign& f) { f.shape[0] = extent; });
    expect("does not fit 64 bits", [=](Foreign& f) { f.shape = {extent, extent}; });
    expect("stride of " + std::to_string(extent) + " elements", [=](Foreign& f) { f.strides[0] = extent; });
  }
  expect("to the highest element of the buffer do not fit 64 bits", [](Foreign& f) { f.strides[1] = highest / 4; });
  expect("address is null", [](Foreign& f) { f.tensor.dl_tensor.data = nullptr; });
  expect("byte_offset", [](Foreign& f) { f.tensor.dl_tensor.byte_offset = std::numeric_limits<std::uint64_t>::max(); });
  for (const std::int32_t device : {0, -1, 4, 7, 8, 9, 12, 1000, std::numeric_limits<int>::max()})
    expect("the tensor is on device (" + std::to_string(device) + ", 0)",
           [=](Foreign& f) { std::memcpy(&f.tensor.dl_tensor.device.device_type, &device, sizeof(device)); });
  expect("on device (1, 3)", [](Foreign& f) { f.tensor.dl_tensor.device.device_id = 3; });
  expect("type code 4, 32 bits, 1 lanes", [](Foreign& f) { f.tensor.dl_tensor.dtype = {kDLBfloat, 32, 1}; });
  EXPECT_THROW(tridap::dlpack::export_array(Tensor()), tridap::Error);
}

TEST(DLPack, AHundredThousandAxes) {
  Foreign foreign;
  foreign.shape.assign(100000, 1);
  foreign.tensor.dl_tensor.ndim = 100000;
  foreign.tensor.dl_tensor.shape = foreign.shape.data();
  foreign.tensor.dl_tensor.strides = nullptr;
  auto [array, receipt] = tridap::dlpack::export_array(Tensor(&foreign.tensor));
  EXPECT_EQ(tridap::dlpack::import_array(std::move(array)).tensor->dl_tensor.ndim, 100000);
  array = {};
  EXPECT_EQ(foreign.released, 1);
}

// The places of DLPack 1.0's members on machines of 64 bits, which every library's tensors share.
static_assert(sizeof(void*) != 8 ||
              (offsetof(DLManagedTensorVersioned, manager_ctx) == 8 &&
               offsetof(DLManagedTensorVersioned, deleter) == 16 && offsetof(DLManagedTensorVersioned, flags) == 24 &&
               offsetof(DLManagedTensorVersioned, dl_tensor) == 32 && sizeof(DLTensor) == 48));

TEST(DLPack1, TheArraySharesTheTensorsMemoryAndReadOnlyFlag) {
  for (const std::uint64_t flags : {0U, 1U, 2U, 3U, 4U, 5U}) {
    ForeignVersioned given;
    given.tensor.flags = flags;
    {
      const auto [array, receipt] = tridap::dlpack::export_array(VersionedTensor(&given.tensor));
      EXPECT_EQ(array.buffer.data, &given.foreign.memory[2]);
      EXPECT_EQ(array.buffer.strides, (List{12, 4}));
      EXPECT_EQ(array.buffer.read_only, flags % 2 == 1);
      EXPECT_EQ(receipt.losses.size(), flags / 2 % 2);
      EXPECT_EQ(receipt.text().find("copied the memory") != std::string::npos, flags / 2 % 2 == 1) << receipt.text();
      EXPECT_EQ(given.released, 0);
    }
    EXPECT_EQ(given.released, 1);
  }
}

TEST(DLPack1, AnotherMajorVersionIsReleasedAndRefusedUnread) {
  for (const std::uint32_t major : {0u, 2u, 4000000000u}) {
    ForeignVersioned given;
    given.tensor.version = {major, 3};
    given.tensor.dl_tensor.shape = reinterpret_cast<std::int64_t*>(8);  // reading it would crash
    try {
      tridap::dlpack::export_array(VersionedTensor(&given.tensor));
      ADD_FAILURE() << major;
    } catch (const tridap::Error& error) {
      on::expect_says(error.what(), "DLPack " + std::to_string(major) + ".3");
    }
    EXPECT_EQ(given.released, 1);
  }
  ForeignVersioned malformed;
  malformed.tensor.dl_tensor.ndim = -1;
  EXPECT_THROW(tridap::dlpack::export_array(VersionedTensor(&malformed.tensor)), tridap::Error);
  EXPECT_EQ(malformed.released, 1);
  EXPECT_THROW(tridap::dlpack::export_array(VersionedTensor()), tridap::Error);
}

TEST(DLPack1, AnArrayBecomesATensorThatSaysReadOnlyBooleanAndSycl) {
  Buffer buffer = tridap::allocate(tridap::element_type<bool>(), {2, 3});
  for (const bool read_only : {false, true}) {
    buffer.read_only = read_only;
    auto [tensor, receipt] = tridap::dlpack::import_versioned(local(buffer));
    EXPECT_TRUE(tensor->version.major == 1 && tensor->version.minor == 0);
    EXPECT_EQ(tensor->flags, read_only ? 1u : 0u);
    EXPECT_EQ(tensor->dl_tensor.data, buffer.data);
    EXPECT_TRUE(tensor->dl_tensor.dtype.code == boolean && tensor->dl_tensor.dtype.bits == 8);
    EXPECT_TRUE(receipt.losses.empty());
    const DistArray back = tridap::dlpack::export_array(std::move(tensor)).array;
    EXPECT_EQ(same_array::differs(local(buffer), back), "");
    EXPECT_EQ(back.buffer.read_only, read_only);
  }
  buffer.memory = {Memory::Kind::sycl, 2};
  auto [tensor, receipt] = tridap::dlpack::import_versioned(local(buffer));
  std::int32_t number = 0;
  std::memcpy(&number, &tensor->dl_tensor.device.device_type, sizeof(number));
  EXPECT_TRUE(number == 14 && tensor->dl_tensor.device.device_id == 2);
  EXPECT_EQ(same_array::differs(local(buffer), tridap::dlpack::export_array(std::move(tensor)).array), "");
}

TEST(DLPack1, TheTensorKeepsTheArraysMemoryAndSwappedBytesAreRefused) {
  Buffer buffer = tridap::allocate(tridap::element_type<int>(), {4});
  const std::weak_ptr<void> memory = buffer.owner;
  Buffer swapped = buffer;
  swapped.type.native_order = false;
  EXPECT_THROW(tridap::dlpack::import_versioned(local(std::move(swapped))), tridap::Error);
  DLManagedTensorVersioned* tensor = tridap::dlpack::import_versioned(local(std::move(buffer))).tensor.release();
  buffer = {};
  EXPECT_FALSE(memory.expired());
  std::thread([tensor] { tensor->deleter(tensor); }).join();
  EXPECT_TRUE(memory.expired());
}

TEST(DLPack, PinnedHostMemoryOfEitherVendorComesBackAsItself) {
  for (const auto& [device, kind] :
       {std::pair(kDLCUDAHost, Memory::Kind::cuda_host), std::pair(kDLROCMHost, Memory::Kind::hip_host)}) {
    Foreign pinned;
    pinned.tensor.dl_tensor.device = {device, 0};
    const auto [array, receipt] = tridap::dlpack::export_array(Tensor(&pinned.tensor));
    EXPECT_EQ(array.buffer.memory.kind, kind);
    EXPECT_TRUE(array.buffer.memory.is_on_host());
    EXPECT_TRUE(receipt.losses.empty()) << receipt.text();
    EXPECT_EQ(tridap::dlpack::import_array(array).tensor->dl_tensor.device.device_type, device);
  }
}

TEST(DLPack, MemoryForWhichItHasNoNumberIsNamedAsALoss) {
  for (const auto& [kind, name] :
       {std::pair(Memory::Kind::hip_managed, "hip_managed:0"), std::pair(Memory::Kind::sycl_host, "sycl_host"),
        std::pair(Memory::Kind::sycl_shared, "sycl_shared:0")}) {
    DistArray array = local(tridap::allocate(tridap::element_type<double>(), {2}));
    array.buffer.memory.kind = kind;
    const tridap::Receipt receipt = tridap::dlpack::import_versioned(array).receipt;
    ASSERT_EQ(receipt.losses.size(), 1u) << name;
    EXPECT_EQ(receipt.losses[0], std::string("that the memory is ") + name);
  }
}

}  // namespace
