#include "protocol/c_abi/handmade.hpp"
#include "support/same_array.hpp"
#include <tridap/c_array.hpp>
#include <tridap/check.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <complex>
#include <limits>
#include <random>
#include <string>
#include <thread>

namespace {

using same_array::differs;
using tridap::CArray;
using tridap::Dimension;
using tridap::DistArray;
using tridap::ElementType;
using tridap::Index;
using tridap::Memory;
using Kind = ElementType::Kind;
using List = std::vector<Index>;

/// Arrays of every kind, right and wrong, as far as the C header can say them.
class Anything {
 public:
  explicit Anything(unsigned seed) : random_(seed) {}

  DistArray array() {
    DistArray array;
    array.version = of(std::vector<std::string>{"0.10.0", "0.10.7", "0.9.0", "1.0.0", "", "no version", "\xc3\xa9"});
    array.buffer = buffer(below(7));
    array.dim_data.resize(static_cast<std::size_t>(below(7)));
    for (Dimension& d : array.dim_data) d = dimension();
    return array;
  }

 private:
  Index below(Index end) { return std::uniform_int_distribution<Index>(0, end - 1)(random_); }
  bool flag() { return below(2) == 1; }
  template <class T>
  T of(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(below(static_cast<Index>(values.size())))];
  }
  Index number() {
    const Index big = std::numeric_limits<Index>::max();
    return of(List{0, 1, 2, 3, 5, 12, -1, -7, Index{1} << 62, big, -big - 1, below(1000)});
  }
  ElementType type() {
    return of(std::vector<ElementType>{
        tridap::element_type<bool>(), tridap::element_type<double>(), tridap::element_type<long double>(),
        tridap::element_type<std::complex<float>>(), tridap::element_type<signed char>(),
        tridap::element_type<std::uint64_t>(), tridap::element_type<std::complex<long double>>(),
        ElementType{Kind::floating, 2, true}, ElementType{Kind::floating, 8, false},
        ElementType{Kind::complex, 16, false}, ElementType{Kind::signed_integer, 4, false},
        ElementType{Kind::opaque, 12, true}});
  }
  Memory memory() {
    const auto kind = of(std::vector<Memory::Kind>{Memory::Kind::host, Memory::Kind::cuda, Memory::Kind::cuda_managed,
                                                   Memory::Kind::hip, Memory::Kind::sycl});
    return {kind, kind == Memory::Kind::host ? 0 : of(List{0, 3, 0x7fffffff})};
  }

  tridap::Buffer buffer(Index ndim) {
    static std::array<std::byte, 8> somewhere;
    tridap::Buffer buffer;
    buffer.type = type();
    for (Index axis = 0; axis < ndim; ++axis) {
      buffer.shape.push_back(below(5));
      buffer.strides.push_back(of(List{0, 8, -8, 3, -1000, Index{1} << 50}));
    }
    buffer.data = somewhere.data() + below(8);  // never read
    buffer.read_only = flag();
    buffer.memory = memory();
    return buffer;
  }

  Dimension dimension() {
    Dimension d;
    d.size = number();
    d.proc_grid_size = number();
    d.proc_grid_rank = number();
    d.periodic = flag();
    const Index kind = below(3);
    if (kind == 0)
      d.dist = tridap::Block{number(), number(),
                             flag() ? std::optional(std::array<Index, 2>{number(), number()}) : std::nullopt};
    else if (kind == 1)
      d.dist = tridap::Cyclic{number(), number()};
    else
      d.dist =
          flag() ? tridap::Unstructured{List{number(), number()}, flag()} : tridap::Unstructured{buffer(1), flag()};
    const std::vector<std::string> keys = {"units", "", "Start", "\xe2\x82\xac", "a\nb", std::string("nul\0in", 6)};
    for (const std::string& key : keys)
      if (below(4) == 0) d.extras.push_back({key, of(std::vector<std::string>{"1", "[]", "\"\"", "{\"a\": null}"})});
    return d;
  }

  std::mt19937 random_;
};

TEST(CArray, ToCAndBackIsTheSameArray) {
  Anything anything(20240501);
  for (int i = 0; i < 20000; ++i) {
    const DistArray array = anything.array();
    const DistArray back = tridap::from_c(tridap::to_c(array));
    ASSERT_EQ(differs(array, back), "") << "array " << i;
  }
}

TEST(CArray, ItsDeleterLetsGoOfEveryOwnerOnce) {
  int buffers = 0, lists = 0;
  const auto counted = [](int& count) {
    return std::shared_ptr<void>(&count, [](void* c) { ++*static_cast<int*>(c); });
  };
  static std::array<Index, 3> memory = {2, 0, 1};
  DistArray array;
  array.buffer = tridap::row_major(memory.data(), {3}, counted(buffers));
  array.dim_data.resize(1);
  array.dim_data[0].size = 3;
  array.dim_data[0].dist = tridap::Unstructured{tridap::row_major(memory.data(), {3}, counted(lists))};
  dap_array* c = tridap::to_c(std::move(array)).release();
  array = {};
  EXPECT_EQ(buffers + lists, 0);
  EXPECT_EQ(c->buffer.data, memory.data());
  EXPECT_EQ(c->dim_data[0].indices.data, memory.data());
  std::thread([c] { c->deleter(c); }).join();
  EXPECT_EQ(buffers, 1);
  EXPECT_EQ(lists, 1);
}

TEST(CArray, AnImportedArrayExportedAgainKeepsTheFirstOne) {
  Handmade made;
  CArray again = tridap::to_c(tridap::from_c(CArray(&made.c)));
  EXPECT_EQ(again->buffer.data, made.elements.data());
  EXPECT_EQ(made.released, 0);
  DistArray array = tridap::from_c(std::move(again));
  EXPECT_EQ(made.released, 0);
  array = {};
  EXPECT_EQ(made.released, 1);
}

TEST(CArray, ManyThreadsLetGoOfOneArrayAndTheDeleterIsCalledOnce) {
  static std::atomic<int> released;
  for (int round = 0; round < 50; ++round) {
    released = 0;
    Handmade made;
    made.c.deleter = [](dap_array*) { ++released; };
    DistArray array = tridap::from_c(CArray(&made.c));
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([mine = array]() mutable { mine = {}; });
    array = {};
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(released, 1);
  }
}

TEST(CArray, WithoutADeleterThereIsNothingToRelease) {
  Handmade made;
  made.c.deleter = nullptr;
  EXPECT_EQ(tridap::from_c(CArray(&made.c)).ndim(), 3);
  dap_array_release(&made.c);
  dap_array_release(nullptr);
}

TEST(CArray, FlagsAreSetAndRead) {
  DistArray array;
  array.buffer = tridap::allocate(tridap::element_type<double>(), {});
  for (const bool read_only : {false, true})
    for (const bool copied : {false, true}) {
      array.buffer.read_only = read_only;
      CArray c = tridap::to_c(array, copied);
      EXPECT_EQ(c->flags, (read_only ? 1u : 0u) | (copied ? 2u : 0u));
      EXPECT_EQ(tridap::from_c(std::move(c)).buffer.read_only, read_only);
    }
}

TEST(CArray, ANewerMinorIsReadAndWhatItAddsIsIgnored) {
  Handmade made;
  made.c.minor = DAP_MINOR + 1;
  made.c.flags = (1u << 20) | DAP_FLAG_READ_ONLY;
  made.c.reserved[7] = made.c.buffer.reserved[0] = made.c.buffer.device.reserved[1] = 1;
  made.dims[0].reserved[3] = made.dims[0].reserved_flags[3] = 1;
  made.dims[2].indices.reserved[1] = made.dims[2].indices.device.reserved[0] = made.extras[0].reserved[0] = 1;
  std::array<char, 200> message;
  EXPECT_EQ(dap_array_check(&made.c, message.data(), message.size()), DAP_OK) << message.data();
  const DistArray array = tridap::from_c(CArray(&made.c));
  EXPECT_TRUE(array.buffer.read_only);
  EXPECT_EQ(array.ndim(), 3);
}

TEST(CArray, StatesTheLowestMinorThatHasItsFormat) {
  DistArray array;
  array.buffer = tridap::allocate({tridap::ElementType::Kind::bfloat, 2}, {});
  CArray c = tridap::to_c(array);
  EXPECT_EQ(c->minor, 1U);
  EXPECT_EQ(std::string(c->buffer.format.data, static_cast<std::size_t>(c->buffer.format.size)).back(), 'E');
  EXPECT_EQ(tridap::from_c(std::move(c)).buffer.type.name(), "bfloat16");
  array.buffer = tridap::allocate(tridap::element_type<double>(), {});
  EXPECT_EQ(tridap::to_c(array)->minor, 0U);
}

TEST(CArray, NotDistributedIn0_9IsABlockOverOneProcess) {
  for (const char* version : {"0.9.0", "0.9.17", "00.09.1", "0.9"}) {
    Handmade made;
    made.c.protocol_version = dap_text_of(version);
    made.dims[1] = {};
    made.dimension(1, 'n', 2, 1, 0).has_padding = 1;
    made.dims[1].padding[1] = 4;
    const DistArray array = tridap::from_c(CArray(&made.c));
    EXPECT_EQ(array.version, version);
    const auto& block = std::get<tridap::Block>(array.dim_data[1].dist);
    EXPECT_EQ((List{block.start, block.stop}), (List{0, 2}));
    EXPECT_EQ(block.padding, (std::array<Index, 2>{0, 4}));
  }
  for (const char* version : {"0.10.0", "0.19.0", "1.9.0", "0.90.0", "9.9.0", "0.10", "09.0", ".9.0", "", "n"}) {
    Handmade made;
    made.c.protocol_version = dap_text_of(version);
    made.dims[1] = {};
    made.dimension(1, 'n', 2, 1, 0);
    EXPECT_THROW(tridap::from_c(CArray(&made.c)), tridap::Error) << version;
    EXPECT_EQ(made.released, 1);
  }
}

TEST(CArray, DevicesHaveTheNumbersOfDLPack) {
  using MemoryKind = Memory::Kind;
  const std::vector<std::pair<MemoryKind, int>> numbers = {{MemoryKind::host, 1},
                                                           {MemoryKind::cuda, 2},
                                                           {MemoryKind::cuda_managed, 13},
                                                           {MemoryKind::hip, 10},
                                                           {MemoryKind::sycl, 14}};
  for (const auto& [kind, number] : numbers) {
    EXPECT_EQ(tridap::device_type(kind), number);
    EXPECT_TRUE(tridap::memory_of(number, 0)->kind == kind);
    EXPECT_EQ(tridap::memory_of(number, 0)->device, 0);
    EXPECT_FALSE(tridap::memory_of(number, -1));
    EXPECT_EQ(tridap::memory_of(number, 5).has_value(), kind != MemoryKind::host);
  }
  for (const auto& [kind, number] : {std::pair(MemoryKind::cuda_host, 3), std::pair(MemoryKind::hip_host, 11)}) {
    EXPECT_EQ(tridap::device_type(kind), number);
    EXPECT_TRUE(tridap::memory_of(number, 1)->kind == kind && tridap::memory_of(number, 1)->device == 0);
  }
  EXPECT_EQ(tridap::device_type(MemoryKind::hip_managed), 10);
  for (const MemoryKind kind : {MemoryKind::sycl_host, MemoryKind::sycl_shared})
    EXPECT_EQ(tridap::device_type(kind), 14);
  for (const int number : {-1, 0, 4, 7, 8, 9, 12, 15, 16, 1 << 30})
    EXPECT_FALSE(tridap::memory_of(number, 0)) << number;
}

TEST(CArray, WhatCCannotSayIsRefusedByName) {
  const auto expect = [](const char* says, auto change) {
    DistArray array;
    array.buffer = tridap::allocate(tridap::element_type<double>(), {2});
    array.dim_data = {tridap::undistributed(2), tridap::undistributed(2)};
    const std::weak_ptr<void> owner = array.buffer.owner;
    change(array);
    try {
      tridap::to_c(std::move(array));
      ADD_FAILURE() << says;
    } catch (const tridap::Error& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
      EXPECT_EQ(error.report().errors(), 1) << error.what();
    }
    EXPECT_TRUE(owner.expired());
  };
  const std::string junk(2000, 'x');
  expect("'__version__' is a text of 2000 bytes", [&](DistArray& a) { a.version = junk; });
  expect("'__version__' is not UTF-8", [&](DistArray& a) { a.version = "\xff"; });
  expect("'buffer.type' is float24", [](DistArray& a) { a.buffer.type.bytes = 3; });
  expect("1 extents and 2 strides", [](DistArray& a) { a.buffer.strides.push_back(0); });
  expect("an extent of -1", [](DistArray& a) { a.buffer.shape[0] = -1; });
  expect("'buffer.memory' is cuda:4294967296", [](DistArray& a) { a.buffer.memory = {Memory::Kind::cuda, 1LL << 32}; });
  expect("'buffer.memory' is nowhere 0", [](DistArray& a) { a.buffer.memory.kind = Memory::Kind::nowhere; });
  expect("'buffer.memory' is host 1", [](DistArray& a) { a.buffer.memory.device = 1; });
  expect("axis 1: 'extras' is a list with 'stop'", [](DistArray& a) { a.dim_data[1].extras = {{"stop", "3"}}; });
  expect("axis 1: 'extras' is a list with 'a' twice", [](DistArray& a) {
    a.dim_data[1].extras = {{"a", "3"}, {"b", "3"}, {"a", "3"}};
  });
  expect("axis 0: 'extras' is a text of 2000 bytes", [&](DistArray& a) { a.dim_data[0].extras = {{junk, "3"}}; });
  expect("axis 1: 'extras' is a list with 'b' as '{1}', but the value must be JSON text", [](DistArray& a) {
    a.dim_data[1].extras = {{"a", "3"}, {"b", "{1}"}};
  });
  expect("axis 0: 'extras' is not UTF-8", [&](DistArray& a) { a.dim_data[0].extras = {{"a", "\xed\xa0\x80"}}; });
  expect("axis 1: 'indices' is a 2-d buffer", [](DistArray& a) {
    a.dim_data[1].dist = tridap::Unstructured{tridap::allocate(tridap::element_type<Index>(), {1, 2})};
  });
  expect("axis 1: 'indices.type' is int128", [](DistArray& a) {
    a.dim_data[1].dist = tridap::Unstructured{tridap::allocate({Kind::signed_integer, 16, true}, {2})};
  });
}

}  // namespace
