#include "support/oracle.hpp"
#include <tridap/runs.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace {

using oracle::List;
using tridap::ArrayRuns;
using tridap::Index;
using tridap::MemoryOrder;
using tridap::Order;
using tridap::Part;
using tridap::Run;
using Runs = std::vector<Run>;

Runs all_runs(ArrayRuns runs) {
  Runs all;
  while (const auto run = runs.next()) all.push_back(*run);
  EXPECT_FALSE(runs.next());
  return all;
}

std::byte memory[1 << 10];

/// What each element of a part is called, and where it stands.
struct Named {
  List local;
  Index number;
};

/// One element after the other by rising address: a new run wherever the number or the place in memory jumps.
Runs expected(const std::vector<Named>& elements, const tridap::Buffer& buffer) {
  std::vector<std::pair<Index, Index>> by_address;
  for (const Named& element : elements)
    by_address.emplace_back(oracle::address(buffer, element.local) - memory, element.number);
  std::sort(by_address.begin(), by_address.end());
  Runs all;
  for (const auto& [local, number] : by_address) {
    if (!all.empty() && all.back().global + all.back().length == number &&
        all.back().local + all.back().length == local)
      ++all.back().length;
    else
      all.push_back({number, local, 1});
  }
  return all;
}

void expect_runs(const oracle::Array& array) {
  const tridap::Distribution distribution = array.distribution();
  const std::map<List, Index> numbers[2] = {array.flat_numbers(), array.flat_numbers(true)};
  for (Index p = 0; p < array.processes(); ++p)
    for (Part part : oracle::parts)
      for (Order numbering : {Order::row_major, Order::column_major}) {
        std::vector<Named> elements;
        for (const auto& [local, global] : array.elements(p, part))
          elements.push_back({local, numbers[numbering == Order::column_major].at(global)});
        oracle::for_each_memory_order(array.axes.size(), [&](const auto& axes, const auto& backwards) {
          const tridap::Buffer buffer =
              oracle::dense_buffer(memory, tridap::element_type<char>(), array.local_shape(p), axes, backwards);
          const Runs truth = expected(elements, buffer);
          MemoryOrder order;
          order.axes = axes;
          order.reversed = backwards;
          ASSERT_EQ(all_runs(ArrayRuns(distribution, p, part, order, numbering)), truth);
          if (array.axes.size() == 3) return;
          order = tridap::memory_order(buffer);  // here, axes of one element stand outermost
          ASSERT_EQ(all_runs(ArrayRuns(distribution, p, part, order, numbering)), truth);
        });
        if (numbering == Order::row_major) {
          const tridap::Buffer buffer = tridap::row_major(memory, array.local_shape(p));
          ASSERT_EQ(all_runs(ArrayRuns(distribution, p, part)), expected(elements, buffer));
        }
      }
}

/// All kinds, and rows that go on in the next one: those that hold both ends of an axis.
std::vector<oracle::Axis> meeting_axes() {
  std::vector<oracle::Axis> axes = oracle::mixed_axes();
  axes.push_back(oracle::block({0, 2, 0}));
  axes.push_back(oracle::block({1}));
  axes.push_back(oracle::cyclic(4, 3, 1));
  axes.push_back(oracle::cyclic(5, 1, 2));
  axes.push_back(oracle::block({4}, {}, {1, 1}, true));
  axes.push_back(oracle::unstructured({{2, 3, 4}, {}}));
  axes.push_back(oracle::unstructured({{4, 3, 2}}));
  axes.push_back(oracle::unstructured({{0, 1, 3, 4}, {2}}));
  return axes;
}

TEST(ArrayRuns, OfOneAndTwoAxesAreTheLongestInEveryMemoryOrder) {
  const std::vector<oracle::Axis> axes = meeting_axes();
  expect_runs(oracle::Array({}));
  for (const oracle::Axis& a : axes) {
    ASSERT_NO_FATAL_FAILURE(expect_runs(oracle::Array({a})));
    for (const oracle::Axis& b : axes) ASSERT_NO_FATAL_FAILURE(expect_runs(oracle::Array({a, b})));
  }
}

TEST(ArrayRuns, OfThreeAxesAreTheLongestInEveryMemoryOrder) {
  const std::vector<oracle::Axis> axes = meeting_axes();
  const oracle::Axis two = oracle::block({2}), one = oracle::block({1}), dealt = oracle::cyclic(3, 1, 2);
  for (const oracle::Axis& a : axes) {
    ASSERT_NO_FATAL_FAILURE(expect_runs(oracle::Array({two, a, one})));
    ASSERT_NO_FATAL_FAILURE(expect_runs(oracle::Array({a, two, dealt})));
  }
}

TEST(ArrayRuns, RowsOfACyclicAxisMeetWhereAProcessHoldsBothEnds) {
  const oracle::Array array({oracle::block({3}), oracle::cyclic(5, 1, 2)});
  EXPECT_EQ(all_runs(ArrayRuns(array.distribution(), 0)),
            (Runs{{0, 0, 1}, {2, 1, 1}, {4, 2, 2}, {7, 4, 1}, {9, 5, 2}, {12, 7, 1}, {14, 8, 1}}));
}

TEST(ArrayRuns, WorkedExampleOfTheHeaderHolds) {
  const oracle::Axis four = oracle::block({4}), six = oracle::block({6});
  EXPECT_EQ(all_runs(ArrayRuns(oracle::Array({oracle::block({2, 2}), six}).distribution(), 1)), (Runs{{12, 0, 12}}));
  const tridap::Distribution columns = oracle::Array({four, oracle::block({3, 3})}).distribution();
  EXPECT_EQ(all_runs(ArrayRuns(columns, 1)), (Runs{{3, 0, 3}, {9, 3, 3}, {15, 6, 3}, {21, 9, 3}}));
  MemoryOrder fortran;
  fortran.axes = {1, 0};
  fortran.reversed = {false, false};
  EXPECT_EQ(all_runs(ArrayRuns(columns, 1, Part::owned, fortran, Order::column_major)), (Runs{{12, 0, 12}}));
}

TEST(ArrayRuns, HugeArrayIsOneRun) {
  const Index big = Index{1} << 31;
  const tridap::Axis axis({tridap::undistributed(big)});
  EXPECT_EQ(all_runs(ArrayRuns(tridap::Distribution({axis, axis}), 0)), (Runs{{0, 0, big * big}}));
  EXPECT_THROW(ArrayRuns(tridap::Distribution({axis, axis, axis}), 0), tridap::Error);
  const Index rows = Index{1} << 60;
  const tridap::Axis dealt(oracle::cyclic(3, 1, 3).dims),
      tall({tridap::undistributed(rows)});  // a column, however far apart the columns are
  MemoryOrder order;
  order.axes = {0, 1};
  order.reversed = {false, false};
  EXPECT_EQ(all_runs(ArrayRuns(tridap::Distribution({tall, dealt}), 2, Part::owned, order, Order::column_major)),
            (Runs{{2 * rows, 0, rows}}));
}

TEST(ArrayRuns, HugeArrayInReverseGivesOneElementAtATime) {
  const Index big = Index{1} << 31;
  const tridap::Axis axis({tridap::undistributed(big)});
  MemoryOrder order;
  order.axes = {0, 1};
  order.reversed = {true, true};
  ArrayRuns runs(tridap::Distribution({axis, axis}), 0, Part::owned, order);
  EXPECT_EQ(runs.next(), (tridap::Run{big * big - 1, 0, 1}));
  EXPECT_EQ(runs.next(), (tridap::Run{big * big - 2, 1, 1}));
  order.reversed = {true, false};  // whole rows, the last one first
  ArrayRuns rows(tridap::Distribution({axis, axis}), 0, Part::owned, order);
  EXPECT_EQ(rows.next(), (tridap::Run{big * big - big, 0, big}));
  EXPECT_EQ(rows.next(), (tridap::Run{big * big - 2 * big, big, big}));
}

TEST(ArrayRuns, IndicesAtTheEndsOf64BitsDoNotWrap) {
  const Index last = std::numeric_limits<Index>::max(), first = std::numeric_limits<Index>::min();
  for (const List& list : {List{last, last - 1}, List{first, first + 1}}) {
    const tridap::Distribution distribution = oracle::Array({oracle::unstructured({list})}).distribution();
    MemoryOrder order;
    order.axes = {0};
    order.reversed = {list[0] > list[1]};
    EXPECT_EQ(all_runs(ArrayRuns(distribution, 0, Part::owned, order)), (Runs{{0, 0, 2}}));
    order.reversed = {list[0] < list[1]};
    EXPECT_EQ(all_runs(ArrayRuns(distribution, 0, Part::owned, order)), (Runs{{1, 0, 1}, {0, 1, 1}}));
  }
}

TEST(ArrayRuns, EmptyShareOfAHugeArrayHasNone) {
  const tridap::Axis big({tridap::undistributed(Index{1} << 40)});
  const tridap::Axis none({tridap::undistributed(0)});
  EXPECT_EQ(all_runs(ArrayRuns(tridap::Distribution({big, big, none}), 0)), Runs{});
}

}  // namespace
