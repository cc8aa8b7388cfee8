#include "support/oracle.hpp"
#include <tridap/make.hpp>
#include <tridap/process_numbers.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace {

using oracle::List;
using tridap::Index;
using tridap::MemoryOrder;
using tridap::Part;
using tridap::ProcessNumbers;

/// The global indices of a process's interior by ascending address, in memory of an order.
std::vector<List> by_address(const oracle::Array& array, Index process, const List& axes,
                             const std::vector<bool>& backwards) {
  static std::vector<std::byte> memory(10000);
  const tridap::Buffer buffer =
      oracle::dense_buffer(memory.data(), tridap::element_type<double>(), array.local_shape(process), axes, backwards);
  std::map<const std::byte*, List> found;
  for (const auto& [local, global] : array.elements(process, Part::interior))
    found[oracle::address(buffer, local)] = global;
  std::vector<List> globals;
  for (const auto& [address, global] : found) globals.push_back(global);
  return globals;
}

MemoryOrder order_of(const List& axes, const std::vector<bool>& backwards) {
  MemoryOrder order;
  order.axes = axes;
  order.reversed = backwards;
  return order;
}

/// Both ways, against the elements of one process after the other. `in_memory[p]` are those of process p.
void expect_numbers(const ProcessNumbers& numbers, const std::vector<std::vector<List>>& in_memory) {
  Index next = 0;
  std::map<List, Index> lowest;
  for (std::size_t p = 0; p < in_memory.size(); ++p) {
    ASSERT_EQ(numbers.first(static_cast<Index>(p)), next);
    for (const List& global : in_memory[p]) {
      ASSERT_EQ(numbers.process(next), static_cast<Index>(p));
      ASSERT_EQ(numbers.global_index(next), global);
      ASSERT_EQ(numbers.number(global), lowest.emplace(global, next).first->second);
      ++next;
    }
  }
  ASSERT_EQ(numbers.count(), next);
  for (const Index number : {std::numeric_limits<Index>::min(), Index{-1}, next, next + 7})
    ASSERT_EQ(numbers.global_index(number), std::nullopt);
}

void expect_numbers(const oracle::Array& array) {
  const tridap::Distribution distribution = array.distribution();
  std::vector<std::vector<List>> rows(static_cast<std::size_t>(array.processes())), mixed = rows;
  std::vector<MemoryOrder> orders(rows.size());
  std::size_t other = 0;
  oracle::for_each_memory_order(array.axes.size(), [&](const List& axes, const std::vector<bool>& backwards) {
    std::vector<std::vector<List>> in_memory;
    for (std::size_t p = 0; p < rows.size(); ++p)
      in_memory.push_back(by_address(array, static_cast<Index>(p), axes, backwards));
    ASSERT_NO_FATAL_FAILURE(expect_numbers(ProcessNumbers(distribution, {order_of(axes, backwards)}), in_memory));
    if (other == 0) rows = in_memory;
    const std::size_t p = other++ % rows.size();  // each process has the last order that is its turn
    mixed[p] = in_memory[p];
    orders[p] = order_of(axes, backwards);
  });
  ASSERT_NO_FATAL_FAILURE(expect_numbers(ProcessNumbers(distribution), rows));
  if (other >= rows.size()) {
    ASSERT_NO_FATAL_FAILURE(expect_numbers(ProcessNumbers(distribution, orders), mixed));
  }
}

/// Every index that somebody can name and no interior has.
void expect_nothing_else(const oracle::Array& array) {
  const ProcessNumbers numbers(array.distribution());
  std::set<List> inside;
  for (Index p = 0; p < array.processes(); ++p)
    for (const auto& element : array.elements(p, Part::interior)) inside.insert(element.global);
  for (const auto& [global, flat] : array.flat_numbers())
    ASSERT_EQ(numbers.number(global).has_value(), inside.count(global) > 0);
  List outside(array.axes.size(), -10);
  ASSERT_EQ(numbers.number(outside), std::nullopt);
}

std::vector<oracle::Axis> all_axes() {
  std::vector<oracle::Axis> axes = oracle::mixed_axes();
  axes.push_back(oracle::block({0, 3, 0, 0, 2, 0}));
  axes.push_back(oracle::block({1, 2, 3}, {1, 1}, {1, 1}, true));  // the first coordinate has mirrors alone
  axes.push_back(oracle::block({0, 0}));
  return axes;
}

}  // namespace

TEST(ProcessNumbers, AreThoseOfEveryProcessAfterTheOther) {
  expect_numbers(oracle::Array({}));
  for (const oracle::Axis& axis : all_axes()) ASSERT_NO_FATAL_FAILURE(expect_numbers(oracle::Array({axis})));
  for (const oracle::Axis& a : all_axes())
    for (const oracle::Axis& b : all_axes()) ASSERT_NO_FATAL_FAILURE(expect_numbers(oracle::Array({a, b})));
  ASSERT_NO_FATAL_FAILURE(expect_numbers(oracle::Array({all_axes()[1], all_axes()[4], all_axes()[6]})));
}

TEST(ProcessNumbers, OfCyclicAxesOfAllKinds) {
  for (Index size = 0; size <= 12; ++size)
    for (Index block_size = 1; block_size <= 4; ++block_size)
      for (Index grid = 1; grid <= 5; ++grid)
        for (Index first = 0; first < grid; ++first)
          ASSERT_NO_FATAL_FAILURE(expect_numbers(oracle::Array({oracle::cyclic(size, block_size, grid, first)})));
}

TEST(ProcessNumbers, AreOfInteriorsAlone) {
  for (const oracle::Axis& a : all_axes())
    for (const oracle::Axis& b : all_axes()) ASSERT_NO_FATAL_FAILURE(expect_nothing_else(oracle::Array({a, b})));
}

TEST(ProcessNumbers, MayBeLargeWithoutAnyTable) {
  const Index most = std::numeric_limits<Index>::max();
  const tridap::Distribution line = tridap::Distribution::make({most}, {tridap::cyclic(most / 3 * 2)}, {1'000'000'000});
  EXPECT_EQ(ProcessNumbers(line).number({most - 1}), most - 1);
  EXPECT_EQ(ProcessNumbers(line).process(most - 1), 1);
  const tridap::Distribution grid =
      tridap::Distribution::make({most / 4, 4}, {tridap::cyclic(), tridap::block()}, {most / 16, 4});
  const ProcessNumbers numbers(grid);
  EXPECT_EQ(numbers.count(), most / 4 * 4);
  const List last{most / 4 - 1, 3};
  ASSERT_TRUE(numbers.number(last).has_value());
  EXPECT_EQ(numbers.global_index(*numbers.number(last)), last);
  EXPECT_EQ(numbers.first(grid.processes() - 1), numbers.count() - 4);
}

TEST(ProcessNumbers, ThatDoNotFit64BitsAreRefused) {
  const Index many = Index{1} << 32;
  const std::vector<tridap::AxisSpec> blocks{tridap::block(), tridap::block(), tridap::block()};
  EXPECT_THROW(ProcessNumbers(tridap::Distribution::make({many, many, 1}, blocks, {2, 2, 1})), tridap::Error);
  EXPECT_EQ(ProcessNumbers(tridap::Distribution::make({many, many, 0}, blocks, {2, 2, 1})).count(), 0);
}
