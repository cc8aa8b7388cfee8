#include "support/oracle.hpp"
#include "support/thrown.hpp"
#include <tridap/flat_numbers.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace {

using oracle::List;
using tridap::FlatNumbers;
using tridap::Index;
using tridap::Order;
using tridap::Part;
using tridap::UnstructuredIds;

tridap::Distribution undistributed(const List& shape) {
  std::vector<tridap::Axis> axes;
  for (Index size : shape) axes.emplace_back(std::vector<tridap::Dimension>(1, tridap::undistributed(size)));
  return tridap::Distribution(axes);
}

/// Both ways; a number that an index has which nobody holds leads nowhere.
void expect_numbers(const oracle::Array& array, Order order, UnstructuredIds ids) {
  const FlatNumbers numbers(array.distribution(), order, ids);
  const auto truth = array.flat_numbers(order == Order::column_major, ids == UnstructuredIds::compact);
  ASSERT_EQ(numbers.count(), static_cast<Index>(truth.size()));
  for (const auto& [global, number] : truth) {
    bool held = true;
    for (std::size_t i = 0; i < global.size(); ++i) held = held && !array.axes[i].owners(global[i]).empty();
    ASSERT_EQ(numbers.number(global), number);
    ASSERT_EQ(numbers.global_index(number), held ? std::optional<List>(global) : std::nullopt);
  }
  for (Index number : {std::numeric_limits<Index>::min(), Index{-1}, numbers.count(), numbers.count() + 7})
    ASSERT_EQ(numbers.global_index(number), std::nullopt);
}

void expect_numbers(const oracle::Array& array) {
  for (Order order : {Order::row_major, Order::column_major})
    for (UnstructuredIds ids : {UnstructuredIds::with_gaps, UnstructuredIds::compact})
      ASSERT_NO_FATAL_FAILURE(expect_numbers(array, order, ids));
}

/// `list` against a walk of the memory: the elements of a part by ascending address.
void expect_lists(const oracle::Array& array, UnstructuredIds ids = UnstructuredIds::with_gaps) {
  const FlatNumbers numbers(array.distribution(), Order::row_major, ids);
  const auto truth = array.flat_numbers(false, ids == UnstructuredIds::compact);
  std::vector<std::byte> memory(10000);
  for (Index p = 0; p < array.processes(); ++p)
    oracle::for_each_memory_order(array.axes.size(), [&](const auto& axes, const auto& backwards) {
      const tridap::Buffer buffer =
          oracle::dense_buffer(memory.data(), tridap::element_type<double>(), array.local_shape(p), axes, backwards);
      const tridap::MemoryOrder order = tridap::memory_order(buffer);
      for (Part part : oracle::parts) {
        std::map<const std::byte*, Index> by_address;
        for (const auto& [local, global] : array.elements(p, part))
          by_address[oracle::address(buffer, local)] = truth.at(global);
        List expected;
        for (const auto& [address, number] : by_address) expected.push_back(number);
        ASSERT_EQ(numbers.list(p, part, order), expected);
        ASSERT_EQ(numbers.list<std::int16_t>(p, part, order),
                  std::vector<std::int16_t>(expected.begin(), expected.end()));
      }
    });
}

TEST(FlatNumbers, CountEveryIndexOnceInOrder) {
  const std::vector<oracle::Axis> axes = oracle::mixed_axes();
  expect_numbers(oracle::Array({}));
  expect_numbers(oracle::Array({oracle::unstructured({{5, 4}}), oracle::unstructured({{7}, {-2}})}));  // gaps on one
  for (const oracle::Axis& a : axes) {
    ASSERT_NO_FATAL_FAILURE(expect_numbers(oracle::Array({a})));
    for (const oracle::Axis& b : axes) {
      ASSERT_NO_FATAL_FAILURE(expect_numbers(oracle::Array({a, b})));
      ASSERT_NO_FATAL_FAILURE(expect_numbers(oracle::Array({b, axes[3], a})));
    }
  }
}

TEST(FlatNumbers, WorkedExampleOfTheHeaderHolds) {
  EXPECT_EQ(FlatNumbers(undistributed({3, 5})).number({2, 1}), 11);
  EXPECT_EQ(FlatNumbers(undistributed({3, 5}), Order::column_major).number({2, 1}), 5);
}

TEST(FlatNumbers, WorkedExampleOfTheHeaderHoldsOnTheWayBackAndWithoutGaps) {
  EXPECT_EQ(FlatNumbers(undistributed({3, 5})).global_index(11), (List{2, 1}));
  EXPECT_EQ(FlatNumbers(undistributed({3, 5}), Order::column_major).global_index(5), (List{2, 1}));
  const auto axis = oracle::Array({oracle::unstructured({{7, -2}, {0}})}).distribution();
  EXPECT_EQ(FlatNumbers(axis).number({7}), 9);
  EXPECT_EQ(FlatNumbers(axis, Order::row_major, UnstructuredIds::compact).number({7}), 2);
}

TEST(FlatNumbers, WithoutGapsCountSharedIndicesOnce) {
  const oracle::Array array(
      {oracle::unstructured({{4, 1}, {1, 9}}), oracle::block({2}), oracle::unstructured({{8, 6}})});
  const auto distribution = array.distribution();
  const FlatNumbers numbers(distribution, Order::row_major, UnstructuredIds::compact);
  EXPECT_EQ(numbers.count(), 3 * 2 * 2);
  const std::vector<List> in_order = {{1, 0, 6}, {1, 0, 8}, {1, 1, 6}, {1, 1, 8}, {4, 0, 6}, {4, 0, 8},
                                      {4, 1, 6}, {4, 1, 8}, {9, 0, 6}, {9, 0, 8}, {9, 1, 6}, {9, 1, 8}};
  for (Index i = 0; i < 12; ++i) {
    EXPECT_EQ(numbers.number(in_order[static_cast<std::size_t>(i)]), i);
    EXPECT_EQ(numbers.global_index(i), in_order[static_cast<std::size_t>(i)]);
  }
  const tridap::MemoryOrder order = tridap::memory_order(tridap::allocate({}, {2, 2, 2}));
  EXPECT_EQ(numbers.list(1, Part::owned, order), (List{1, 0, 3, 2, 9, 8, 11, 10}));
}

TEST(FlatNumbers, GiveNoTwoUnstructuredElementsOneNumber) {
  const oracle::Array array({oracle::unstructured({{100, -3}, {7}}), oracle::block({2})});
  const FlatNumbers numbers(array.distribution());
  EXPECT_EQ(numbers.count(), 208);
  EXPECT_EQ(numbers.number({-3, 0}), 0);
  EXPECT_EQ(numbers.number({100, 1}), 207);
}

TEST(FlatNumbers, ListWalksTheMemoryUpwards) {
  const std::vector<oracle::Axis> axes = oracle::mixed_axes();
  expect_lists(oracle::Array({}));
  for (const oracle::Axis& a : axes)
    for (const oracle::Axis& b : axes) ASSERT_NO_FATAL_FAILURE(expect_lists(oracle::Array({a, b})));
  for (std::size_t i = 0; i < axes.size(); ++i)
    for (std::size_t j = 0; j < axes.size(); ++j)
      ASSERT_NO_FATAL_FAILURE(expect_lists(oracle::Array({axes[i], axes[j], axes[(i + 3 * j + 2) % axes.size()]})));
}

TEST(FlatNumbers, ListWithoutGapsWalksTheMemoryUpwards) {
  const std::vector<oracle::Axis> axes = oracle::mixed_axes();
  for (const oracle::Axis& a : axes)
    for (const oracle::Axis& b : axes)
      ASSERT_NO_FATAL_FAILURE(expect_lists(oracle::Array({a, b}), UnstructuredIds::compact));
}

TEST(FlatNumbers, ListHoldsAny64BitIntegers) {
  const FlatNumbers numbers(undistributed({2, 3}));
  tridap::MemoryOrder order;
  order.axes = {0, 1};
  order.reversed = {true, true};
  EXPECT_EQ(numbers.list<long long>(0, Part::owned, order), (std::vector<long long>{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(numbers.list<std::uint64_t>(0, Part::owned, order), (std::vector<std::uint64_t>{5, 4, 3, 2, 1, 0}));
}

TEST(FlatNumbers, ListOfIntegersThatAreTooNarrowIsRefused) {
  const oracle::Array array({oracle::unstructured({{0}, {2147483648}})});
  const FlatNumbers numbers(array.distribution());
  const tridap::MemoryOrder order = tridap::memory_order(tridap::allocate({}, {1}));
  for (const Index process : {0, 1}) {  // also where no number is large
    const std::string text = on::error_text([&] { numbers.list<std::int32_t>(process, Part::owned, order); });
    EXPECT_NE(text.find("the largest flat number is 2147483648, must be at most 2147483647"), std::string::npos)
        << text;
    EXPECT_EQ(numbers.list<std::uint32_t>(process, Part::owned, order).at(0), process == 0 ? 0U : 2147483648U);
  }
  EXPECT_EQ(FlatNumbers(undistributed({2147483647, 0})).list<std::int8_t>(0, Part::owned, order).size(), 0U);
}

TEST(FlatNumbers, ArrayThatHoldsNothingHasNone) {
  EXPECT_EQ(FlatNumbers(undistributed({3, 0})).count(), 0);
  EXPECT_EQ(FlatNumbers(undistributed({Index{1} << 40, 0, Index{1} << 40})).count(), 0);
  const oracle::Array empty({oracle::unstructured({{}, {}}), oracle::block({3})});
  EXPECT_EQ(FlatNumbers(empty.distribution()).count(), 0);
  EXPECT_EQ(FlatNumbers(empty.distribution(), Order::row_major, UnstructuredIds::compact).global_index(0),
            std::nullopt);
  EXPECT_EQ(FlatNumbers(empty.distribution()).list(1, Part::owned, tridap::memory_order(tridap::allocate({}, {0, 3}))),
            List{});
}

TEST(FlatNumbers, MustFit64Bits) {
  const Index big = Index{1} << 31, highest = std::numeric_limits<Index>::max();
  EXPECT_EQ(FlatNumbers(undistributed({big, big})).number({big - 1, big - 1}), big * big - 1);
  EXPECT_EQ(FlatNumbers(undistributed({highest})).number({highest - 1}), highest - 1);
  for (Order order : {Order::row_major, Order::column_major}) {
    EXPECT_THROW(FlatNumbers(undistributed({big, big, 2}), order), tridap::Error);
    EXPECT_THROW(FlatNumbers(undistributed({2, highest}), order), tridap::Error);
  }
  const auto over = [](const List& list) { return oracle::Array({oracle::unstructured({list})}).distribution(); };
  EXPECT_THROW(FlatNumbers(over({std::numeric_limits<Index>::min(), highest})), tridap::Error);
  EXPECT_THROW(FlatNumbers(over({-1, highest - 1})), tridap::Error);  // a span of 2^63
  EXPECT_EQ(FlatNumbers(over({0, highest - 1})).count(), highest);
  EXPECT_EQ(FlatNumbers(over({highest - 1, highest})).number({highest}), 1);
  const FlatNumbers closed(over({highest, std::numeric_limits<Index>::min()}), Order::row_major,
                           UnstructuredIds::compact);
  EXPECT_EQ(closed.count(), 2);
  EXPECT_EQ(closed.number({highest}), 1);
  EXPECT_EQ(closed.global_index(0), List{std::numeric_limits<Index>::min()});
}

}  // namespace
