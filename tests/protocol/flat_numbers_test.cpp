#include "support/oracle.hpp"
#include <dap/flat_numbers.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace {

using dap::FlatNumbers;
using dap::Index;
using dap::Order;
using dap::Part;
using oracle::List;

dap::Distribution undistributed(const List& shape) {
  std::vector<dap::Axis> axes;
  for (Index size : shape) axes.emplace_back(std::vector<dap::Dimension>(1, dap::undistributed(size)));
  return dap::Distribution(axes);
}

void expect_numbers(const oracle::Array& array) {
  for (Order order : {Order::row_major, Order::column_major}) {
    const FlatNumbers numbers(array.distribution(), order);
    const auto truth = array.flat_numbers(order == Order::column_major);
    ASSERT_EQ(numbers.count(), static_cast<Index>(truth.size()));
    for (const auto& [global, number] : truth) ASSERT_EQ(numbers.number(global), number);
  }
}

/// `list` against a walk of the memory: the elements of a part by ascending address.
void expect_lists(const oracle::Array& array) {
  const FlatNumbers numbers(array.distribution());
  const auto truth = array.flat_numbers();
  std::vector<std::byte> memory(10000);
  for (Index p = 0; p < array.processes(); ++p)
    oracle::for_each_memory_order(array.axes.size(), [&](const auto& axes, const auto& backwards) {
      const dap::Buffer buffer =
          oracle::dense_buffer(memory.data(), dap::element_type<double>(), array.local_shape(p), axes, backwards);
      const dap::MemoryOrder order = dap::memory_order(buffer);
      for (Part part : oracle::parts) {
        std::map<const std::byte*, Index> by_address;
        for (const auto& [local, global] : array.elements(p, part))
          by_address[oracle::address(buffer, local)] = truth.at(global);
        List expected;
        for (const auto& [address, number] : by_address) expected.push_back(number);
        ASSERT_EQ(numbers.list(p, part, order), expected);
      }
    });
}

TEST(FlatNumbers, CountEveryIndexOnceInOrder) {
  const std::vector<oracle::Axis> axes = oracle::mixed_axes();
  expect_numbers(oracle::Array({}));
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

TEST(FlatNumbers, ArrayThatHoldsNothingHasNone) {
  EXPECT_EQ(FlatNumbers(undistributed({3, 0})).count(), 0);
  EXPECT_EQ(FlatNumbers(undistributed({Index{1} << 40, 0, Index{1} << 40})).count(), 0);
  const oracle::Array empty({oracle::unstructured({{}, {}}), oracle::block({3})});
  EXPECT_EQ(FlatNumbers(empty.distribution()).count(), 0);
  EXPECT_EQ(FlatNumbers(empty.distribution()).list(1, Part::owned, dap::memory_order(dap::allocate({}, {0, 3}))),
            List{});
}

TEST(FlatNumbers, MustFit64Bits) {
  const Index big = Index{1} << 31, highest = std::numeric_limits<Index>::max();
  EXPECT_EQ(FlatNumbers(undistributed({big, big})).number({big - 1, big - 1}), big * big - 1);
  EXPECT_EQ(FlatNumbers(undistributed({highest})).number({highest - 1}), highest - 1);
  for (Order order : {Order::row_major, Order::column_major}) {
    EXPECT_THROW(FlatNumbers(undistributed({big, big, 2}), order), dap::Error);
    EXPECT_THROW(FlatNumbers(undistributed({2, highest}), order), dap::Error);
  }
  const auto over = [](const List& list) { return oracle::Array({oracle::unstructured({list})}).distribution(); };
  EXPECT_THROW(FlatNumbers(over({std::numeric_limits<Index>::min(), highest})), dap::Error);
  EXPECT_THROW(FlatNumbers(over({-1, highest - 1})), dap::Error);  // a span of 2^63
  EXPECT_EQ(FlatNumbers(over({0, highest - 1})).count(), highest);
  EXPECT_EQ(FlatNumbers(over({highest - 1, highest})).number({highest}), 1);
}

}  // namespace
