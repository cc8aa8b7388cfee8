#include "kokkos/support.hpp"
#include <tridap/kokkos/view.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <typeinfo>

// Which memory fits which layout, against a slow opinion of its own: every address is written out.

namespace {

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using Kokkos::LayoutStride;
using support::for_each_element;
using support::refusal_of;
using support::Shape;
using support::Stars;
using support::strided;
using tridap::Buffer;
using tridap::Index;
using tridap::kokkos::view;

/// The place of an element in a view of Kokkos, elements: `padded` is the only stride that is not a product of extents.
template <class Layout>
Index place(const Shape& at, const Shape& shape, Index padded) {
  Index rest = 0;
  if constexpr (std::is_same_v<Layout, LayoutRight> && support::pads_last_rows) {
    for (std::size_t axis = 0; axis + 1 < at.size(); ++axis) rest = rest * shape[axis] + at[axis];
    return at.empty() ? 0 : rest * padded + at.back();
  } else if constexpr (std::is_same_v<Layout, LayoutRight>) {
    for (std::size_t axis = 1; axis < at.size(); ++axis) rest = rest * shape[axis] + at[axis];
    return at.size() == 1 ? at[0] : at.empty() ? 0 : at[0] * padded + rest;
  } else {
    for (std::size_t axis = at.size(); axis-- > 1;) rest = rest * shape[axis] + at[axis];
    return at.empty() ? 0 : at[0] + padded * rest;
  }
}

template <class Layout>
bool every_element_is_placed(const Buffer& buffer, Index padded) {
  bool all = true;
  for_each_element(buffer, [&](const Shape& at, Index bytes) {
    all = all && place<Layout>(at, buffer.shape, padded) * buffer.type.bytes == bytes;
  });
  return all;
}

/// True where some stride of Kokkos gives every element its address.
template <class Layout>
bool fits(const Buffer& buffer) {
  bool fitting = true;
  if constexpr (std::is_same_v<Layout, LayoutStride>) {
    for (std::size_t i = 0; i < buffer.shape.size(); ++i)
      fitting =
          fitting && (buffer.shape[i] == 1 || (buffer.strides[i] >= 0 && buffer.strides[i] % buffer.type.bytes == 0));
    return fitting || tridap::element_count(buffer) == 0;
  }
  const Shape& shape = buffer.shape;
  Index dense = 1, most = 1;  // what stands inside the axis that may be padded
  if (std::is_same_v<Layout, LayoutLeft>)
    dense = shape.empty() ? 1 : shape[0];
  else if (support::pads_last_rows)
    dense = shape.empty() ? 1 : shape.back();
  else
    for (std::size_t i = 1; i < shape.size(); ++i) dense *= shape[i];
  for (const Index stride : buffer.strides) most = std::max(most, std::abs(stride));
  for (Index padded = dense; padded <= std::max(dense, most); ++padded)
    if (every_element_is_placed<Layout>(buffer, padded)) return true;
  return false;
}

/// True where the axes can be put inside one another so that each steps over all that stands inside it.
bool nests(const Buffer& buffer) {
  std::vector<std::size_t> order(buffer.shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    Index inside = buffer.type.bytes;
    bool good = true;
    for (const std::size_t axis : order) {
      if (buffer.shape[axis] <= 1) continue;
      good = good && buffer.strides[axis] >= inside;
      inside += buffer.strides[axis] * (buffer.shape[axis] - 1);
    }
    if (good) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

bool elements_share_memory(const Buffer& buffer) {
  std::vector<Index> all;
  for_each_element(buffer, [&](const Shape&, Index bytes) { all.push_back(bytes); });
  std::sort(all.begin(), all.end());
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i] - all[i - 1] < buffer.type.bytes) return true;
  return false;
}

struct Counts {
  int taken = 0, refused = 0, padded = 0;
};

/// The view is made where it should be, with every element at its address, and refused with one Error where not.
template <class DataType, class Layout>
void expect_as_the_oracle_says(const Buffer& buffer, std::size_t alignment, Counts& counts) {
  using View = decltype(view<DataType, Layout>(buffer));
  constexpr bool writes = !std::is_const_v<typename View::value_type>;
  const bool empty = tridap::element_count(buffer) == 0;
  if (!empty && nests(buffer)) {
    ASSERT_FALSE(elements_share_memory(buffer));
  }
  const bool fine = reinterpret_cast<std::uintptr_t>(buffer.data) % alignment == 0 && fits<Layout>(buffer) &&
                    (!writes || (!buffer.read_only && (empty || nests(buffer))));
  View made;
  const std::string why = refusal_of([&] { made = view<DataType, Layout>(buffer); });
  std::string what;
  for (std::size_t i = 0; i < buffer.shape.size(); ++i)
    what += std::to_string(buffer.shape[i]) + " by " + std::to_string(buffer.strides[i]) + " bytes, ";
  ASSERT_EQ(why.empty(), fine) << typeid(View).name() << ": " << what << why;
  ++(fine ? counts.taken : counts.refused);
  if (!fine) return;
  ASSERT_EQ(static_cast<const void*>(made.data()), buffer.data);
  for (std::size_t i = 0; i < buffer.shape.size(); ++i)
    ASSERT_EQ(made.extent(i), static_cast<std::size_t>(buffer.shape[i]));
  for_each_element(buffer, [&](const Shape& at, Index bytes) {
    const auto* here = &support::element(made, at, std::make_index_sequence<static_cast<std::size_t>(View::rank)>());
    ASSERT_EQ(reinterpret_cast<const char*>(here), static_cast<const char*>(buffer.data) + bytes) << what;
  });
  if (!std::is_same_v<Layout, LayoutStride> && !empty && !made.span_is_contiguous()) ++counts.padded;
}

template <class T, std::size_t Rank>
void expect_all_layouts(const Buffer& buffer, Counts& counts) {
  expect_as_the_oracle_says<Stars<T, Rank>, LayoutStride>(buffer, alignof(T), counts);
  expect_as_the_oracle_says<Stars<T, Rank>, LayoutRight>(buffer, alignof(T), counts);
  expect_as_the_oracle_says<Stars<T, Rank>, LayoutLeft>(buffer, alignof(T), counts);
  expect_as_the_oracle_says<Stars<const T, Rank>, LayoutStride>(buffer, alignof(T), counts);
  expect_as_the_oracle_says<Stars<const T, Rank>, LayoutRight>(buffer, alignof(T), counts);
  expect_as_the_oracle_says<Stars<const T, Rank>, LayoutLeft>(buffer, alignof(T), counts);
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  Index below(Index end) { return static_cast<Index>(engine_() % static_cast<std::uint64_t>(end)); }
  bool one_in(Index n) { return below(n) == 0; }

  /// A buffer of up to three elements an axis whose strides are often those of a layout, and then spoilt, or not.
  Buffer buffer(tridap::ElementType type, std::size_t rank, char* memory) {
    Buffer buffer;
    buffer.type = type;
    for (std::size_t i = 0; i < rank; ++i) buffer.shape.push_back(one_in(9) ? 0 : 1 + below(rank < 5 ? 4 : 2));
    const bool left = one_in(2), dense = one_in(3);
    Shape extents = buffer.shape;
    const std::size_t row = support::pads_last_rows && rank > 1 ? rank - 2 : 0, gap = left ? 1 : row;  // may be padded
    buffer.strides.resize(rank);
    Index stride = type.bytes;
    for (std::size_t k = 0; k < rank; ++k) {
      const std::size_t axis = left ? k : rank - 1 - k;
      if (!dense && axis == gap) stride += below(3) * type.bytes;
      buffer.strides[axis] = stride;
      stride *= std::max<Index>(extents[axis], 1);
    }
    if (rank > 0 && one_in(3))
      spoil(buffer.strides[static_cast<std::size_t>(below(static_cast<Index>(rank)))], type.bytes);
    if (rank > 1 && one_in(6)) std::swap(buffer.strides[0], buffer.strides[1]);
    buffer.read_only = one_in(6);
    buffer.data = memory + (one_in(8) ? 1 + below(15) : 0);
    return buffer;
  }

 private:
  void spoil(Index& stride, Index bytes) {
    const Index choices[] = {0, -stride, stride + bytes, stride - bytes, stride + 1, 2 * stride, below(64)};
    stride = choices[below(7)];
  }
  std::mt19937 engine_;
};

template <class T, std::size_t Rank>
void fuzz(int times) {
  alignas(64) static char memory[64] = {};  // never followed: the views are asked for addresses alone
  Random random(static_cast<unsigned>(1000 * Rank + sizeof(T)));
  Counts counts;
  for (int i = 0; i < times && !testing::Test::HasFatalFailure(); ++i)
    expect_all_layouts<T, Rank>(random.buffer(tridap::element_type<T>(), Rank, memory), counts);
  EXPECT_GT(counts.taken, times / 2) << Rank;
  EXPECT_GT(counts.refused, times / 4) << Rank;
  if (Rank > 1) {
    EXPECT_GT(counts.padded, times / 50) << Rank;
  }
}

TEST(Layout, RandomMemoryOfEveryRankIsTakenOrRefusedAsTheOracleSays) {
  fuzz<double, 0>(50);
  fuzz<double, 1>(500);
  fuzz<double, 2>(1500);
  fuzz<double, 3>(1500);
  fuzz<double, 4>(500);
  fuzz<double, 5>(300);
  fuzz<double, 6>(200);
  fuzz<double, 7>(60);
  fuzz<double, 8>(30);
}

TEST(Layout, RandomLayoutsAreTakenOrRefusedAsTheOracleSays) {
  fuzz<char, 2>(500);
  fuzz<std::uint16_t, 3>(500);
  fuzz<Kokkos::complex<double>, 2>(500);
}

/// Every element of 2 x 3 with a gap of two elements: 1 where the view stands.
template <class Layout>
void expect_padding_untouched(const Shape& shape, const Shape& strides) {
  std::vector<double> memory(80, -1);
  const Buffer buffer = strided(memory.data(), shape, strides);
  const auto v = view<double**, Layout>(buffer);
  EXPECT_FALSE(v.span_is_contiguous());
  EXPECT_EQ(static_cast<Index>(v.stride(0)), strides[0]);
  EXPECT_EQ(static_cast<Index>(v.stride(1)), strides[1]);
  for (std::size_t i = 0; i < v.extent(0); ++i)
    for (std::size_t j = 0; j < v.extent(1); ++j) v(i, j) = 1;
  EXPECT_EQ(std::count(memory.begin(), memory.end(), 1), shape[0] * shape[1]);
  for_each_element(buffer, [&](const Shape&, Index bytes) { memory[static_cast<std::size_t>(bytes / 8)] = 2; });
  EXPECT_EQ(std::count(memory.begin(), memory.end(), 1), 0);
}

TEST(Layout, PaddedRowsAndColumnsAreSteppedOver) {
  expect_padding_untouched<LayoutRight>({2, 3}, {5, 1});
  expect_padding_untouched<LayoutLeft>({2, 3}, {1, 4});
}

TEST(Layout, PaddedViewsStayPaddedWhateverIsMadeOfThem) {
  std::vector<double> memory = support::numbers(200);
  const Shape rows = support::pads_last_rows ? Shape{24, 6, 1} : Shape{25, 5, 1};
  const Buffer right = strided(memory.data(), {3, 4, 5}, rows), left = strided(memory.data(), {3, 4, 5}, {1, 6, 24});
  const auto r = view<double***, LayoutRight>(right);
  const auto l = view<double***, LayoutLeft>(left);
  const Kokkos::View<const double***, LayoutStride, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> any = r,
                                                                                                                other =
                                                                                                                    l;
  EXPECT_EQ(any(2, 3, 4), 2 * rows[0] + 3 * rows[1] + 4);
  EXPECT_EQ(other(2, 3, 4), 2 + 18 + 96);
  EXPECT_EQ(Kokkos::subview(r, 2, Kokkos::ALL(), Kokkos::ALL())(3, 4), any(2, 3, 4));
  EXPECT_EQ(Kokkos::subview(l, Kokkos::ALL(), Kokkos::ALL(), 4)(2, 3), 116);
  const auto copy = l;
  EXPECT_EQ(copy(1, 1, 1), 31);
}

TEST(Layout, StaticExtentsBesideADynamicOneMayBePadded) {
  std::vector<double> memory = support::numbers(40);
  const Buffer buffer = strided(memory.data(), {4, 3}, {5, 1});
  EXPECT_EQ((view<double* [3], LayoutRight>(buffer)(3, 2)), 17);
  if (support::pads_last_rows)
    EXPECT_EQ((view<double[4][3], LayoutRight>(buffer)(3, 2)), 17);
  else
    EXPECT_REFUSED((view<double[4][3], LayoutRight>(buffer)), "axis 0 has stride 40 bytes, but LayoutRight needs 24");
}

TEST(Layout, RefusalsNameTheAxisAndTheNeededStride) {
  std::vector<double> memory(100);
  const auto of = [&](const Shape& shape, const Shape& strides) { return strided(memory.data(), shape, strides); };
  const Buffer outer = of({2, 3, 4}, {16, 4, 1}), inner = of({2, 3, 4}, {20, 5, 1}), columns = of({2, 3, 4}, {1, 2, 9}),
               apart = of({2, 3}, {10, 2});
  if (support::pads_last_rows) {
    EXPECT_REFUSED((view<double***, LayoutRight>(outer)), "axis 0 has stride 128 bytes, but LayoutRight needs 96");
    EXPECT_REFUSED((view<double***, LayoutRight>(inner)), "axis 0 has stride 160 bytes, but LayoutRight needs 120");
    EXPECT_REFUSED((view<double***, LayoutRight>(inner)), "it can have padding on axis 1 only");
  } else {
    EXPECT_REFUSED((view<double***, LayoutRight>(inner)), "axis 1 has stride 40 bytes, but LayoutRight needs 32");
    EXPECT_REFUSED((view<double***, LayoutRight>(inner)), "it can have padding on axis 0 only");
  }
  EXPECT_REFUSED((view<double***, LayoutLeft>(columns)), "axis 2 has stride 72 bytes, but LayoutLeft needs 48");
  EXPECT_REFUSED((view<double***, LayoutLeft>(columns)), "it can have padding on axis 1 only");
  EXPECT_REFUSED((view<double**, LayoutRight>(apart)), "axis 1 has stride 16 bytes, but LayoutRight needs 8");
  EXPECT_REFUSED((view<double**, LayoutRight>(apart)), "LayoutStride");
}

TEST(Layout, HugeStridesThatSomeExtentMultipliesNeverWrap) {
  double memory[1] = {};
  const Index huge = Index{1} << 61;
  Buffer buffer = tridap::row_major(memory, {1, 2, 3, 2});
  buffer.strides = {8, huge, 8, huge / 2};
  EXPECT_REFUSED((view<const double****, LayoutLeft>(buffer)), "axis 2 has stride 8 bytes");
}

template <class T, std::size_t Rank>
void expect_empty_of_every_shape() {
  Counts counts;
  T memory{};
  support::Shape shape(Rank, 2);
  for (std::size_t none = 0; none < Rank; ++none) {
    shape[none] = 0;
    for (T* data : {static_cast<T*>(nullptr), &memory})
      expect_all_layouts<T, Rank>(tridap::row_major(data, shape), counts);
    shape[none] = 2;
  }
  EXPECT_EQ(counts.taken, static_cast<int>(Rank) * 12);
}

TEST(Layout, ZeroExtentsAtEveryAxisOfEveryRankAreTaken) {
  expect_empty_of_every_shape<double, 1>();
  expect_empty_of_every_shape<double, 2>();
  expect_empty_of_every_shape<double, 3>();
  expect_empty_of_every_shape<double, 4>();
  expect_empty_of_every_shape<double, 5>();
  expect_empty_of_every_shape<double, 6>();
  expect_empty_of_every_shape<double, 7>();
  expect_empty_of_every_shape<double, 8>();
}

}  // namespace
