#include "kokkos/support.hpp"
#include <tridap/kokkos/view.hpp>

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <utility>

namespace {

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using Kokkos::LayoutStride;
using support::column_major;
using support::element;
using support::for_each_element;
using support::numbers;
using support::Shape;
using support::strided;
using tridap::Buffer;
using tridap::DistArray;
using tridap::Index;
using tridap::kokkos::view;

// Views over foreign memory need no Kokkos::initialize: this program has none.

/// A view of a temporary does not compile; one of something that lives does.
template <class Argument, class = void>
struct CanView : std::false_type {};
template <class Argument>
struct CanView<Argument, std::void_t<decltype(view<double*>(std::declval<Argument>()))>> : std::true_type {};
template <class Argument, class = void>
struct CanViewRight : std::false_type {};
template <class Argument>
struct CanViewRight<Argument, std::void_t<decltype(view<double**, LayoutRight>(std::declval<Argument>()))>>
    : std::true_type {};
static_assert(CanView<Buffer&>::value && CanView<const Buffer&>::value);
static_assert(CanView<DistArray&>::value && CanView<const DistArray&>::value);
static_assert(!CanView<Buffer>::value && !CanView<const Buffer>::value);
static_assert(!CanView<DistArray>::value && !CanView<const DistArray>::value);
static_assert(CanViewRight<Buffer&>::value && !CanViewRight<Buffer>::value && !CanViewRight<DistArray>::value);

static_assert(decltype(view<double*>(std::declval<Buffer&>()))::memory_traits::is_unmanaged);
static_assert(std::is_same_v<decltype(view<double*>(std::declval<Buffer&>()))::array_layout, LayoutStride>);

/// Every element of the view is that of the buffer: same address, read as written on the other side.
template <class View>
void expect_same_memory(const View& v, const Buffer& buffer) {
  ASSERT_EQ(static_cast<std::size_t>(View::rank), buffer.shape.size());
  ASSERT_EQ(static_cast<const void*>(v.data()), buffer.data);
  EXPECT_EQ(v.use_count(), 0);
  for (std::size_t i = 0; i < buffer.shape.size(); ++i)
    EXPECT_EQ(v.extent(i), static_cast<std::size_t>(buffer.shape[i]));
  Index mark = 1000;
  for_each_element(buffer, [&](const Shape& at, Index bytes) {
    auto* there =
        reinterpret_cast<std::remove_const_t<typename View::value_type>*>(static_cast<char*>(buffer.data) + bytes);
    auto& here = element(v, at, std::make_index_sequence<View::rank>());
    ASSERT_EQ(&here, there);
    *there = static_cast<typename View::non_const_value_type>(static_cast<int>(++mark));
    ASSERT_EQ(here, *there);
    if constexpr (!std::is_const_v<typename View::value_type>) {
      here = static_cast<typename View::value_type>(static_cast<int>(++mark));
      ASSERT_EQ(*there, here);
    }
  });
}

/// A view of each layout over memory in that order, with extents 2, 3, 1, 2 ...
template <class DataType>
void expect_every_layout(std::size_t rank) {
  const Shape pattern = {2, 3, 1, 2, 1, 2, 2, 1},
              shape(pattern.begin(), pattern.begin() + static_cast<std::ptrdiff_t>(rank));
  std::vector<double> memory(48 * 4, 0.0);
  const Buffer right = tridap::row_major(memory.data(), shape), left = column_major(memory.data(), shape);
  Buffer wide = right;  // every second element, and a hole after each row
  for (Index& stride : wide.strides) stride *= 2;
  if (rank > 1) wide.strides[0] += 24;
  expect_same_memory(view<DataType, LayoutRight>(right), right);
  expect_same_memory(view<DataType, LayoutLeft>(left), left);
  for (const Buffer& buffer : {right, left, wide}) {
    expect_same_memory(view<DataType>(buffer), buffer);
    expect_same_memory(view<DataType, LayoutStride>(buffer), buffer);
    const auto v = view<DataType>(buffer);
    for (std::size_t i = 0; i < rank; ++i)
      if (shape[i] > 1) {
        EXPECT_EQ(static_cast<Index>(v.stride(static_cast<int>(i))) * 8, buffer.strides[i]);
      }
  }
  DistArray array;
  array.buffer = wide;
  expect_same_memory(view<DataType>(array), wide);
}

TEST(View, EveryRankAndLayoutIsTheSameMemory) {
  expect_every_layout<double>(0);
  expect_every_layout<double*>(1);
  expect_every_layout<double**>(2);
  expect_every_layout<double***>(3);
  expect_every_layout<double****>(4);
  expect_every_layout<double*****>(5);
  expect_every_layout<double******>(6);
  expect_every_layout<double*******>(7);
  expect_every_layout<double********>(8);
}

template <class T>
void expect_element_type() {
  std::vector<T> memory(6);
  const Buffer buffer = tridap::row_major(memory.data(), {2, 3});
  expect_same_memory(view<T**>(buffer), buffer);
  expect_same_memory(view<const T**, LayoutRight>(buffer), buffer);
}

TEST(View, EveryElementTypeIsTheSameMemory) {
  expect_element_type<float>();
  expect_element_type<std::int8_t>();
  expect_element_type<std::uint16_t>();
  expect_element_type<int>();
  expect_element_type<long>();
  expect_element_type<long long>();
  expect_element_type<std::uint64_t>();
  bool flags[2] = {true, false};
  const Buffer buffer = tridap::row_major(flags, {2});
  EXPECT_FALSE(view<bool*>(buffer)(1));
}

TEST(View, ComplexNumbersOfTheStandardAndOfKokkosAreOneType) {
  std::complex<double> memory[2] = {{1, 2}, {3, 4}};
  Buffer buffer = tridap::row_major(memory, {2});
  const auto v = view<Kokkos::complex<double>*>(buffer);
  EXPECT_EQ(v(1).imag(), 4);
  v(0).real() = 7;
  EXPECT_EQ(memory[0], (std::complex<double>{7, 2}));
  EXPECT_EQ(tridap::element_type<Kokkos::complex<double>>(), tridap::element_type<std::complex<double>>());
  EXPECT_REFUSED(view<Kokkos::complex<float>*>(buffer), "complex64");
  EXPECT_REFUSED(view<double*>(buffer), "complex128");
}

TEST(View, ReadOnlyMemoryNeedsConstElements) {
  const std::vector<double> memory = numbers(6);
  const Buffer buffer = tridap::row_major(memory.data(), {2, 3});
  ASSERT_TRUE(buffer.read_only);
  EXPECT_EQ(view<const double**>(buffer)(1, 2), 5);
  EXPECT_EQ((view<const double**, LayoutRight>(buffer)(1, 0)), 3);
  EXPECT_EQ((view<const double**, LayoutRight>(buffer).data()), memory.data());
  EXPECT_REFUSED(view<double**>(buffer), "read-only");
  EXPECT_REFUSED((view<double**, LayoutRight>(buffer)), "const elements");
}

TEST(View, StaticExtentsAreThoseOfTheBuffer) {
  std::vector<double> memory = numbers(12);
  const Buffer buffer = tridap::row_major(memory.data(), {4, 3}), left = column_major(memory.data(), {4, 3});
  expect_same_memory(view<double* [3]>(buffer), buffer);
  expect_same_memory(view<double[4][3]>(buffer), buffer);
  expect_same_memory(view<double* [3], LayoutRight>(buffer), buffer);
  expect_same_memory(view<double* [3], LayoutLeft>(left), left);
  expect_same_memory(view<double* [3]>(left), left);
  EXPECT_REFUSED(view<double* [4]>(buffer), "axis 1 has extent 3, but the view's type has 4");
  EXPECT_REFUSED((view<double[3][3], LayoutRight>(buffer)), "axis 0 has extent 4, but the view's type has 3");
  EXPECT_REFUSED(view<double* [2]>(buffer), "use *");
}

TEST(View, OtherElementTypesAreRefused) {
  double memory[2] = {};
  Buffer buffer = tridap::row_major(memory, {2});
  EXPECT_REFUSED(view<float*>(buffer), "float32");
  EXPECT_REFUSED(view<float*>(buffer), "float64");
  EXPECT_REFUSED(view<long*>(buffer), "int64");
  EXPECT_REFUSED(view<std::uint64_t*>(buffer), "uint64");
  buffer.type.native_order = false;
  EXPECT_REFUSED(view<double*>(buffer), "f8");
  EXPECT_REFUSED(view<const double*>(buffer), "f8");
}

TEST(View, AnotherNumberOfAxesIsRefused) {
  double memory[6] = {};
  const Buffer buffer = tridap::row_major(memory, {2, 3}), scalar = tridap::row_major(memory, {});
  EXPECT_REFUSED(view<double*>(buffer), "1 axes, but the buffer has 2");
  EXPECT_REFUSED(view<double***>(buffer), "3 axes, but the buffer has 2");
  EXPECT_REFUSED(view<double>(buffer), "0 axes, but the buffer has 2");
  EXPECT_REFUSED(view<double*>(scalar), "1 axes, but the buffer has 0");
  Shape nine(9, 1);
  const Buffer deep = tridap::row_major(memory, nine);
  EXPECT_REFUSED(view<double********>(deep), "8 axes, but the buffer has 9");
}

TEST(View, BuffersThatAreNoneAreRefused) {
  double memory[6] = {};
  Buffer buffer = tridap::row_major(memory, {2, 3});
  buffer.strides.pop_back();
  EXPECT_REFUSED(view<double**>(buffer), "2 extents and 1 strides");
  buffer = tridap::row_major(memory, {2, -3});
  EXPECT_REFUSED(view<double**>(buffer), "-3");
  buffer = tridap::row_major(static_cast<double*>(nullptr), {2, 3});
  EXPECT_REFUSED(view<double**>(buffer), "null");
}

TEST(View, MemoryThatTheHostCannotReachIsRefused) {
  double memory[2] = {};
  Buffer buffer = tridap::row_major(memory, {2});
  using Kind = tridap::Memory::Kind;
  for (const Kind kind : {Kind::cuda, Kind::cuda_managed, Kind::hip, Kind::sycl, Kind::nowhere}) {
    buffer.memory = {kind, 1};
    EXPECT_REFUSED(view<double*>(buffer), kind == Kind::nowhere ? "described only" : buffer.memory.name());
    EXPECT_REFUSED((view<const double*, LayoutRight>(buffer)), "memory");
  }
  Buffer described = tridap::row_major(static_cast<double*>(nullptr), {2});
  described.memory.kind = Kind::nowhere;
  EXPECT_REFUSED(view<double*>(described), "nowhere");
  described.shape = {0};
  EXPECT_REFUSED(view<double*>(described), "nowhere");
}

TEST(View, MemoryBetweenElementsIsRefused) {
  alignas(double) char memory[64] = {};
  Buffer buffer = tridap::row_major(reinterpret_cast<double*>(memory), {2});
  buffer.data = memory + 4;
  EXPECT_REFUSED(view<double*>(buffer), "multiple of 8 bytes");
  EXPECT_REFUSED(view<const double*>(buffer), "aligned");
  buffer.data = memory;
  buffer.strides = {12};
  EXPECT_REFUSED(view<double*>(buffer),
                 "axis 0 has stride 12 bytes, which is not a multiple of the 8 bytes of an element");
}

TEST(View, NegativeStridesAreRefused) {
  std::vector<double> memory = numbers(6);
  const Buffer buffer = strided(memory.data() + 2, {2, 3}, {3, -1});
  EXPECT_REFUSED(view<const double**>(buffer), "axis 1 has stride -8 bytes");
  EXPECT_REFUSED((view<double**, LayoutRight>(buffer)), "negative");
  Buffer lowest = buffer;
  lowest.strides[0] = std::numeric_limits<Index>::min();
  EXPECT_REFUSED(view<const double**>(lowest), "strides");
}

TEST(View, ElementsThatShareMemoryAreReadAndNotWritten) {
  std::vector<double> memory = numbers(5);
  const Buffer zero = strided(memory.data(), {2, 3}, {0, 1}), overlapping = strided(memory.data(), {3, 3}, {1, 1});
  EXPECT_EQ(view<const double**>(zero)(1, 2), 2);
  EXPECT_REFUSED(view<double**>(zero), "axis 0 has stride 0 bytes");
  EXPECT_EQ(view<const double**>(overlapping)(2, 1), 3);
  EXPECT_REFUSED(view<double**>(overlapping), "share");
  for (const auto& [shape, strides] : {std::pair{Shape{2, 2}, Shape{2, 2}},
                                       {Shape{3, 2}, Shape{1, 2}},
                                       {Shape{2, 1, 2}, Shape{1, 9, 1}},
                                       {Shape{2, 3, 1}, Shape{2, 1, 0}}}) {
    const Buffer shared = strided(memory.data(), shape, strides);
    const auto write = [&, ndim = shape.size()] {
      ndim == 2 ? (void)view<double**>(shared) : (void)view<double***>(shared);
    };
    EXPECT_REFUSED(write(), "share");
  }
}

TEST(View, DenseLayoutsAreRefusedOverOtherMemory) {
  std::vector<double> memory = numbers(40);
  const Buffer right = tridap::row_major(memory.data(), {2, 3}), left = column_major(memory.data(), {2, 3});
  const Buffer apart = strided(memory.data(), {4}, {2}), zero = strided(memory.data(), {2, 3}, {0, 1});
  EXPECT_REFUSED((view<double**, LayoutRight>(left)), "axis 0 has stride 8 bytes, but LayoutRight needs 24");
  EXPECT_REFUSED((view<double**, LayoutLeft>(right)), "axis 0 has stride 24 bytes, but LayoutLeft needs 8");
  EXPECT_REFUSED((view<double*, LayoutRight>(apart)), "LayoutStride");
  EXPECT_REFUSED((view<double*, LayoutLeft>(apart)), "LayoutStride");
  EXPECT_REFUSED((view<const double**, LayoutRight>(zero)), "axis 0 has stride 0 bytes");
}

template <class DataType, class Layout>
void expect_empty(Buffer buffer, const Shape& shape) {
  buffer.shape = shape;
  for (void* data : {static_cast<void*>(nullptr), buffer.data}) {
    buffer.data = data;
    const auto v = view<DataType, Layout>(buffer);
    EXPECT_EQ(v.data(), data);
    EXPECT_EQ(v.size(), 0u);
    for (std::size_t i = 0; i < shape.size(); ++i) EXPECT_EQ(v.extent(i), static_cast<std::size_t>(shape[i]));
  }
}

TEST(View, NoElementsNeedNoAddress) {
  double memory[2] = {};
  const Buffer one = tridap::row_major(memory, {0}), two = strided(memory, {0, 3}, {7, 5});
  expect_empty<double*, LayoutStride>(one, {0});
  expect_empty<const double*, LayoutRight>(one, {0});
  expect_empty<double*, LayoutLeft>(one, {0});
  for (const Shape& shape : {Shape{0, 3}, Shape{3, 0}, Shape{0, 0}}) {
    expect_empty<double**, LayoutStride>(two, shape);
    expect_empty<double**, LayoutRight>(two, shape);
    expect_empty<double**, LayoutLeft>(two, shape);
  }
}

// NumPy gives such strides to a[::-1] of an array without elements.
TEST(View, NoElementsHaveNoStridesInTheWay) {
  double memory[2] = {};
  for (const Shape& strides : {Shape{-1, 1}, Shape{0, 0}}) {
    const Buffer buffer = strided(memory, {3, 0}, strides);
    EXPECT_EQ(support::refusal_of([&] { EXPECT_EQ(view<double**>(buffer).size(), 0u); }), "");
  }
}

TEST(View, AxesOfOneElementMayHaveAnyStride) {
  std::vector<double> memory = numbers(6);
  for (const Index odd : {Index{3}, Index{-7}, Index{0}, Index{1} << 60, -(Index{1} << 60)}) {
    Buffer buffer = tridap::row_major(memory.data(), {1, 6});
    buffer.strides[0] = odd;
    expect_same_memory(view<double**>(buffer), buffer);
    expect_same_memory(view<double**, LayoutRight>(buffer), buffer);
    expect_same_memory(view<double**, LayoutLeft>(buffer), buffer);
    buffer = tridap::row_major(memory.data(), {6, 1});
    buffer.strides[1] = odd;
    expect_same_memory(view<double**>(buffer), buffer);
    expect_same_memory(view<double**, LayoutRight>(buffer), buffer);
    expect_same_memory(view<double**, LayoutLeft>(buffer), buffer);
  }
}

// Kokkos sees from the span whether two views overlap, and how to copy them.
TEST(View, SpanIsThatOfTheElementsWhateverTheStrideOfOne) {
  std::vector<double> memory = numbers(6);
  for (const Index odd : {Index{-16}, Index{1} << 60}) {
    Buffer buffer = tridap::row_major(memory.data(), {1, 6});
    buffer.strides[0] = odd;
    EXPECT_EQ(view<double**>(buffer).span(), 6u) << odd;
  }
}

}  // namespace
