#include "kokkos/kokkos_environment.hpp"
#include "kokkos/support.hpp"
#include "support/oracle.hpp"
#include "support/thrown.hpp"
#include <tridap/kokkos/axis_view.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>

namespace {

using oracle::List;
using tridap::Dimension;
using tridap::DistArray;
using tridap::Index;
using tridap::IndexBuffer;
using tridap::Part;
using tridap::kokkos::axis_view;
using tridap::kokkos::AxisView;

struct Early {
  Index block = 0, shared = 0;
  const void* list = nullptr;
  std::string copied;
};
Early early;  // what was seen before Kokkos was initialised
std::vector<Index> early_list = {7, -2, 30};

DistArray of_one(Dimension dimension) {
  DistArray array;
  array.dim_data = {std::move(dimension)};
  return array;
}

Dimension listed(IndexBuffer indices, Index size) {
  Dimension d = oracle::dimension(size, 1, 0);
  d.dist = tridap::Unstructured{std::move(indices), false};
  return d;
}

void before_kokkos() {
  const DistArray block = of_one(oracle::block({2, 3}).dims[1]);
  early.block = axis_view(block, 0)(2);
  const DistArray shared = of_one(listed(tridap::row_major(early_list.data(), {3}), 3));
  const AxisView<> view = axis_view(shared, 0);
  early.shared = view(1);
  early.list = view.list().data();
  static const std::int32_t narrow[2] = {5, 9};
  const DistArray copied = of_one(listed(tridap::row_major(narrow, {2}), 2));
  early.copied = support::refusal_of([&] { axis_view(copied, 0); });
}
const auto* const kokkos_environment = testing::AddGlobalTestEnvironment(new support::KokkosEnvironment(before_kokkos));

template <class Argument, class = void>
struct CanAsk : std::false_type {};
template <class Argument>
struct CanAsk<Argument, std::void_t<decltype(axis_view(std::declval<Argument>(), 0))>>
    : std::is_same<decltype(axis_view(std::declval<Argument>(), 0)), AxisView<>> {};
static_assert(CanAsk<const DistArray&>::value && !CanAsk<DistArray>::value && !CanAsk<const DistArray>::value);

void expect_axis(const oracle::Axis& axis) {
  for (Index c = 0; c < axis.grid(); ++c)
    for (const Part part : oracle::parts) {
      const DistArray array = of_one(axis.dims[static_cast<std::size_t>(c)]);
      const AxisView<> view = axis_view(array, 0, part);
      const tridap::Range range = axis.part(c, part);
      ASSERT_EQ(view.extent(), range.size());
      for (Index local = 0; local < view.extent(); ++local)
        ASSERT_EQ(view(local), axis.held_by(c)[static_cast<std::size_t>(range.begin + local)])
            << array.dim_data[0].dist_type() << " of " << axis.size() << ", coordinate " << c << ", local " << local;
      if (part == Part::local) {
        ASSERT_EQ(axis_view(array, 0).extent(), view.extent());
      }
    }
}

TEST(AxisView, OfEveryBlockIsWhatTheOracleCounts) {
  for (Index grid = 1; grid <= 4; ++grid)
    for (Index size = 0; size <= 7; ++size)
      for (const List& counts : oracle::splits(size, grid)) expect_axis(oracle::block(counts));
  for (const bool periodic : {false, true}) {
    expect_axis(oracle::block({3, 2, 4}, {1, 2}, {1, 2}, periodic));
    expect_axis(oracle::block({4}, {}, {1, 2}, periodic));
  }
}

TEST(AxisView, OfEveryCyclicAxisIsWhatDealingGives) {
  for (Index grid = 1; grid <= 5; ++grid)
    for (Index size = 0; size <= 12; ++size)
      for (Index block = 1; block <= 4; ++block)
        for (Index first = 0; first < grid; ++first) expect_axis(oracle::cyclic(size, block, grid, first));
}

TEST(AxisView, OfUnstructuredAxesIsTheList) {
  expect_axis(oracle::unstructured({{7, -2, 30}, {}, {4}}));
  expect_axis(oracle::unstructured({{}}));
}

TEST(AxisView, OfHugeCyclicAxesNeverWraps) {
  const Index most = std::numeric_limits<Index>::max();
  Dimension d = oracle::dimension(most, 3, 2);
  d.dist = tridap::Cyclic{2 * (most / 3), most / 3};
  const DistArray thirds = of_one(d);
  EXPECT_EQ(axis_view(thirds, 0)(most / 3 - 1), 3 * (most / 3) - 1);
  d.dist = tridap::Cyclic{2, 1};
  const DistArray single = of_one(d);
  const AxisView<> view = axis_view(single, 0);
  EXPECT_EQ(view(view.extent() - 1), 2 + 3 * (view.extent() - 1));
  d = oracle::dimension(most, most, 0);
  d.dist = tridap::Cyclic{0, most};
  const DistArray all = of_one(d);
  EXPECT_EQ(axis_view(all, 0)(most - 1), most - 1);
}

TEST(AxisView, OfZeroNineCountsFromWhereItsBufferBegins) {
  Dimension d = oracle::dimension(9, 3, 1);
  d.dist = tridap::Block{3, 6, {{1, 2}}};
  DistArray array = of_one(d);
  array.version = "0.9.0";
  EXPECT_EQ(axis_view(array, 0).extent(), 6);
  EXPECT_EQ(axis_view(array, 0)(0), 2);
  EXPECT_EQ(axis_view(array, 0, Part::owned)(0), 3);
  EXPECT_EQ(axis_view(array, 0, Part::owned).extent(), 3);
  array.dim_data[0].proc_grid_rank = 0;
  array.dim_data[0].dist = tridap::Block{0, 3, {{1, 2}}};
  EXPECT_EQ(axis_view(array, 0)(0), 0);
  EXPECT_EQ(axis_view(array, 0).extent(), 5);
  array.dim_data[0].periodic = true;
  EXPECT_REFUSED(axis_view(array, 0), "padded periodic axis of protocol 0.9");
}

TEST(AxisView, KernelsCaptureItByValue) {
  const DistArray array = of_one(oracle::cyclic(11, 2, 3).dims[1]), list = of_one(listed(List{4, 0, 9}, 3));
  const AxisView<> cyclic = axis_view(array, 0), of_list = axis_view(list, 0);
  using OnHost = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::IndexType<Index>>;
  Index sum = 0, product = 0;
  Kokkos::parallel_reduce(
      "sum", OnHost(0, cyclic.extent()), [=](const Index local, Index& part) { part += cyclic(local); }, sum);
  Kokkos::parallel_reduce(
      "list", OnHost(0, of_list.extent()),
      [=](const Index local, Index& part) { part += of_list(local) * (local + 1); }, product);
  EXPECT_EQ(sum, 2 + 3 + 8 + 9);
  EXPECT_EQ(product, 4 + 0 + 27);
}

TEST(AxisView, DenseNativeListsOf64BitsAreShared) {
  List numbers = {5, -1, 8};
  std::vector<std::uint64_t> positive = {5, 1, 8};
  const DistArray list = of_one(listed(tridap::row_major(numbers.data(), {3}), 3));
  const DistArray unsigned_list = of_one(listed(tridap::row_major(positive.data(), {3}), 3));
  tridap::Buffer one = tridap::row_major(numbers.data() + 2, {1});
  one.strides = {-40};
  const DistArray of_one_index = of_one(listed(one, 1));
  EXPECT_EQ(axis_view(list, 0).list().data(), numbers.data());
  EXPECT_EQ(static_cast<const void*>(axis_view(unsigned_list, 0).list().data()), positive.data());
  EXPECT_EQ(axis_view(unsigned_list, 0)(2), 8);
  EXPECT_EQ(axis_view(of_one_index, 0)(0), 8);
  EXPECT_EQ(axis_view(of_one_index, 0).list().data(), numbers.data() + 2);
}

void expect_copied(const tridap::Buffer& buffer, const List& numbers) {
  const DistArray array = of_one(listed(buffer, buffer.shape[0]));
  const AxisView<> view = axis_view(array, 0);
  EXPECT_NE(static_cast<const void*>(view.list().data()), buffer.data);
  for (Index local = 0; local < view.extent(); ++local)
    EXPECT_EQ(view(local), numbers[static_cast<std::size_t>(local)]);
}

TEST(AxisView, OtherListsAreCopied) {
  const std::vector<std::int32_t> narrow = {5, -1, 8};
  expect_copied(tridap::row_major(narrow.data(), {3}), {5, -1, 8});
  List wide = {5, 0, 6, 0, 7, 0};
  expect_copied(support::strided(wide.data(), {3}, {2}), {5, 6, 7});
  expect_copied(support::strided(wide.data() + 4, {3}, {-2}), {7, 6, 5});
  alignas(8) char bytes[32] = {};
  std::memcpy(bytes + 4, wide.data(), 8);
  tridap::Buffer odd = tridap::row_major(wide.data(), {1});
  odd.data = bytes + 4;
  expect_copied(odd, {5});
  tridap::Buffer swapped = tridap::row_major(wide.data(), {1});
  swapped.type.native_order = false;
  expect_copied(swapped, {Index{5} << 56});
}

// What a device gets; here in the host's own memory.
TEST(AxisView, CopiesForADeviceKeepThemselvesAlive) {
  List numbers = {4, -1, 8};
  const auto copy = tridap::kokkos::detail::copied_list<AxisView<>::List>(tridap::row_major(numbers.data(), {3}));
  numbers.assign(3, 0);
  EXPECT_EQ(copy(0), 4);
  EXPECT_EQ(copy(2), 8);
  EXPECT_NE(copy.data(), numbers.data());
}

TEST(AxisView, KeepsTheOwnerOfASharedList) {
  auto owned = std::make_shared<List>(List{3, 1, 2});
  AxisView<> view;
  {
    const DistArray array = of_one(listed(tridap::row_major(owned->data(), {3}, owned), 3));
    view = axis_view(array, 0);
  }
  EXPECT_EQ(owned.use_count(), 2);
  EXPECT_EQ(view(2), 2);
  view = {};
  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_EQ(view.extent(), 0);
}

TEST(AxisView, FormulasAndSharedListsNeedNoKokkos) {
  EXPECT_EQ(early.block, 4);
  EXPECT_EQ(early.shared, -2);
  EXPECT_EQ(early.list, early_list.data());
  on::expect_says(early.copied, "not initialised");
}

TEST(AxisView, WhatIsWrongIsRefused) {
  DistArray array = of_one(oracle::block({2, 3}).dims[1]);
  EXPECT_REFUSED(axis_view(array, 1), "there is no axis 1, the array has 1 axes");
  EXPECT_REFUSED(axis_view(array, -1), "there is no axis -1");
  std::get<tridap::Block>(array.dim_data[0].dist).stop = 6;
  EXPECT_REFUSED(axis_view(array, 0), "axis 0: 'stop' is 6");
  array = of_one(listed(List{1, 1}, 2));
  EXPECT_REFUSED(axis_view(array, 0), "unique");
  array = of_one(oracle::block({2}).dims[0]);
  array.version = "2.0.0";
  EXPECT_REFUSED(axis_view(array, 0), "2.0.0");
}

}  // namespace
