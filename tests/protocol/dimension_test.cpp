#include "support/oracle.hpp"
#include <tridap/dimension.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <type_traits>

namespace {

using oracle::List;
using tridap::Buffer;
using tridap::ElementType;
using tridap::Index;
using Kind = ElementType::Kind;

/// The last byte of `value` first, written out by hand.
template <class T>
T swapped(T value) {
  unsigned char bytes[sizeof(T)], turned[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  for (std::size_t i = 0; i < sizeof(T); ++i) turned[i] = bytes[sizeof(T) - 1 - i];
  std::memcpy(&value, turned, sizeof(T));
  return value;
}

template <class T>
void expect_reads() {
  const std::vector<T> values = {T{0},
                                 T{1},
                                 static_cast<T>(-1),
                                 T{77},
                                 std::numeric_limits<T>::min(),
                                 static_cast<T>(std::numeric_limits<T>::max() / 2)};
  List numbers;
  bool all_fit = true;
  for (T value : values) {
    all_fit &= std::is_signed_v<T> || static_cast<std::uint64_t>(value) <= std::uint64_t{1} << 62;
    numbers.push_back(static_cast<Index>(value));
  }
  all_fit |= sizeof(T) < 8;
  for (bool native : {true, false})
    for (int step : {1, 2, 3, -1, -2}) {
      std::vector<T> memory(20, T{42});
      const std::size_t first = step > 0 ? 0 : 19;
      for (std::size_t i = 0; i < values.size(); ++i)
        memory[static_cast<std::size_t>(static_cast<int>(first) + step * static_cast<int>(i))] =
            native ? values[i] : swapped(values[i]);
      Buffer buffer = tridap::row_major(memory.data() + first, {static_cast<Index>(values.size())});
      buffer.strides[0] *= step;
      buffer.type.native_order = native;
      ASSERT_EQ(tridap::read_indices(buffer), all_fit ? std::optional(numbers) : std::nullopt)
          << buffer.type.name() << ' ' << step;
    }
}

TEST(ReadIndices, EveryIntegerWidthSignByteOrderAndStrideIsRead) {
  expect_reads<std::int8_t>();
  expect_reads<std::int16_t>();
  expect_reads<std::int32_t>();
  expect_reads<std::int64_t>();
  expect_reads<std::uint8_t>();
  expect_reads<std::uint16_t>();
  expect_reads<std::uint32_t>();
  expect_reads<std::uint64_t>();
}

TEST(ReadIndices, UnsignedBeyond64BitsSignedIsRefused) {
  std::vector<std::uint64_t> values = {std::uint64_t{1} << 62, (std::uint64_t{1} << 63) - 1};
  EXPECT_EQ(tridap::read_indices(tridap::row_major(values.data(), {2})),
            (List{Index{1} << 62, std::numeric_limits<Index>::max()}));
  values[1] += 1;
  EXPECT_FALSE(tridap::read_indices(tridap::row_major(values.data(), {2})));
}

TEST(ReadIndices, UnalignedIndicesAreRead) {
  std::byte memory[17] = {};
  const std::int64_t values[2] = {5, -6};
  std::memcpy(memory + 1, values, 16);
  Buffer buffer = tridap::row_major(values, {2});
  buffer.data = memory + 1;
  EXPECT_EQ(tridap::read_indices(buffer), (List{5, -6}));
}

TEST(ReadIndices, FloatsBoolsAndOtherKindsAreRefused) {
  std::array<std::byte, 64> memory = {};
  for (Kind kind : {Kind::boolean, Kind::floating, Kind::complex, Kind::opaque})
    for (Index bytes : {1, 2, 4, 8, 16}) {
      Buffer buffer = tridap::row_major(memory.data(), {2});
      buffer.type = {kind, bytes, true};
      EXPECT_FALSE(tridap::read_indices(buffer)) << buffer.type.name();
    }
  for (Kind kind : {Kind::signed_integer, Kind::unsigned_integer})
    for (Index bytes : {-8, -1, 0, 3, 5, 16}) {
      Buffer buffer = tridap::row_major(memory.data(), {2});
      buffer.type = {kind, bytes, true};
      EXPECT_FALSE(tridap::read_indices(buffer)) << bytes;
    }
}

TEST(ReadIndices, OnlyOneDimensionOnTheHostIsRead) {
  std::int64_t values[4] = {1, 2, 3, 4};
  EXPECT_FALSE(tridap::read_indices(tridap::row_major(values, {})));
  EXPECT_FALSE(tridap::read_indices(tridap::row_major(values, {2, 2})));
  EXPECT_FALSE(tridap::read_indices(tridap::row_major(values, {4, 1})));
  Buffer buffer = tridap::row_major(values, {4});
  EXPECT_TRUE(tridap::read_indices(buffer));
  buffer.memory.kind = tridap::Memory::Kind::cuda;
  EXPECT_FALSE(tridap::read_indices(buffer));
  buffer = tridap::row_major(values, {4});
  buffer.strides.clear();
  EXPECT_FALSE(tridap::read_indices(buffer));
  buffer = tridap::row_major(values, {-1});
  EXPECT_FALSE(tridap::read_indices(buffer));
  buffer = tridap::row_major(static_cast<std::int64_t*>(nullptr), {1});
  EXPECT_FALSE(tridap::read_indices(buffer));
  buffer = tridap::row_major(static_cast<std::int64_t*>(nullptr), {0});
  EXPECT_EQ(tridap::read_indices(buffer), List{});
}

TEST(ReadIndices, StrideOfASingleIndexDoesNotMatter) {
  std::int32_t value = -9;
  for (Index stride : {Index{0}, std::numeric_limits<Index>::min(), std::numeric_limits<Index>::max()}) {
    Buffer buffer = tridap::row_major(&value, {1});
    buffer.strides[0] = stride;
    EXPECT_EQ(tridap::read_indices(buffer), List{-9});
  }
}

TEST(IndexBuffer, OwnsAPlainListAndNeverItsProducersMemory) {
  List list = {3, -1};
  const tridap::IndexBuffer owned(list);
  list[0] = 8;
  const tridap::IndexBuffer copy = owned;
  EXPECT_EQ(tridap::read_indices(copy), (List{3, -1}));
  EXPECT_EQ(copy.buffer.data, owned.buffer.data);
  EXPECT_TRUE(copy.buffer.owner);
  EXPECT_TRUE(copy.buffer.read_only);
  const tridap::IndexBuffer shared(tridap::row_major(list.data(), {2}));
  EXPECT_EQ(shared.buffer.data, list.data());
  list[1] = 4;
  EXPECT_EQ(tridap::read_indices(shared), (List{8, 4}));
  EXPECT_EQ(tridap::read_indices(tridap::IndexBuffer{}), List{});
}

TEST(Dimension, KindGivesTheDistType) {
  tridap::Dimension d;
  EXPECT_EQ(d.dist_type(), 'b');
  d.dist = tridap::Cyclic{};
  EXPECT_EQ(d.dist_type(), 'c');
  d.dist = tridap::Unstructured{};
  EXPECT_EQ(d.dist_type(), 'u');
}

TEST(Dimension, DefaultsAreTheProtocols) {
  const tridap::Dimension d;
  EXPECT_EQ(d.proc_grid_size, 1);
  EXPECT_EQ(d.proc_grid_rank, 0);
  EXPECT_FALSE(d.periodic);
  EXPECT_FALSE(tridap::Block{}.padding);
  EXPECT_EQ(tridap::Cyclic{}.block_size, 1);
  EXPECT_FALSE(tridap::Unstructured{}.one_to_one);
}

}  // namespace
