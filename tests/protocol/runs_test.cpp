#include "support/oracle.hpp"
#include <dap/runs.hpp>

#include <gtest/gtest.h>

namespace {

using dap::ArrayRuns;
using dap::Index;
using dap::Part;
using dap::Run;
using oracle::List;
using Runs = std::vector<Run>;

Runs all_runs(ArrayRuns runs) {
  Runs all;
  while (const auto run = runs.next()) all.push_back(*run);
  EXPECT_FALSE(runs.next());
  return all;
}

/// True where a coordinate holds the whole axis, in order: such an inner axis belongs to the run outside it.
bool holds_all(const oracle::Axis& axis, Index c) {
  if (axis.held_by(c).empty() || static_cast<Index>(axis.held_by(c).size()) != axis.size()) return false;
  return oracle::runs(axis.held_by(c), axis.part(c, Part::local)).size() == 1;
}

/// One element after the other: a new run where the number or the offset jumps, or where a row of an axis ends that is
/// not held whole.
Runs expected(const oracle::Array& array, Index process, Part part) {
  std::map<List, Index> offsets;
  for (const auto& element : array.elements(process, Part::local)) {
    const auto offset = static_cast<Index>(offsets.size());
    offsets[element.local] = offset;
  }
  const auto numbers = array.flat_numbers();
  Runs all;
  List before;
  for (const auto& [local, global] : array.elements(process, part)) {
    const Run here{numbers.at(global), offsets.at(local), 1};
    bool joins = !all.empty() && all.back().global + all.back().length == here.global &&
                 all.back().local + all.back().length == here.local;
    if (joins) {
      const auto moved = std::mismatch(before.begin(), before.end(), local.begin()).first - before.begin();
      for (std::size_t i = static_cast<std::size_t>(moved) + 1; i < local.size(); ++i)
        joins &= holds_all(array.axes[i], array.coordinates(process)[i]);
    }
    if (joins)
      ++all.back().length;
    else
      all.push_back(here);
    before = local;
  }
  return all;
}

void expect_runs(const oracle::Array& array) {
  const dap::Distribution distribution = array.distribution();
  for (Index p = 0; p < array.processes(); ++p)
    for (Part part : oracle::parts)
      ASSERT_EQ(all_runs(ArrayRuns(distribution, p, part)), expected(array, p, part)) << p;
}

TEST(ArrayRuns, JoinToTheElementsInRowMajorOrder) {
  std::vector<oracle::Axis> axes = oracle::mixed_axes();
  axes.push_back(oracle::block({0, 2, 0}));
  axes.push_back(oracle::unstructured({{2, 3, 4}, {}}));
  axes.push_back(oracle::unstructured({{4, 3, 2}}));
  axes.push_back(oracle::cyclic(4, 3, 1));
  axes.push_back(oracle::block({4}, {}, {1, 1}, true));
  expect_runs(oracle::Array({}));
  for (const oracle::Axis& a : axes) {
    ASSERT_NO_FATAL_FAILURE(expect_runs(oracle::Array({a})));
    for (const oracle::Axis& b : axes) {
      ASSERT_NO_FATAL_FAILURE(expect_runs(oracle::Array({a, b})));
      ASSERT_NO_FATAL_FAILURE(expect_runs(oracle::Array({a, b, axes[0]})));
      ASSERT_NO_FATAL_FAILURE(expect_runs(oracle::Array({b, axes.back(), a})));
    }
  }
}

TEST(ArrayRuns, WorkedExampleOfTheHeaderHolds) {
  const oracle::Axis four = oracle::block({4}), six = oracle::block({6});
  EXPECT_EQ(all_runs(ArrayRuns(oracle::Array({oracle::block({2, 2}), six}).distribution(), 1)), (Runs{{12, 0, 12}}));
  EXPECT_EQ(all_runs(ArrayRuns(oracle::Array({four, oracle::block({3, 3})}).distribution(), 1)),
            (Runs{{3, 0, 3}, {9, 3, 3}, {15, 6, 3}, {21, 9, 3}}));
}

TEST(ArrayRuns, HugeArrayIsOneRun) {
  const Index big = Index{1} << 31;
  const dap::Axis axis({dap::undistributed(big)});
  EXPECT_EQ(all_runs(ArrayRuns(dap::Distribution({axis, axis}), 0)), (Runs{{0, 0, big * big}}));
  EXPECT_THROW(ArrayRuns(dap::Distribution({axis, axis, axis}), 0), dap::Error);
}

TEST(ArrayRuns, EmptyShareOfAHugeArrayHasNone) {
  const dap::Axis big({dap::undistributed(Index{1} << 40)});
  const dap::Axis none({dap::undistributed(0)});
  EXPECT_EQ(all_runs(ArrayRuns(dap::Distribution({big, big, none}), 0)), Runs{});
}

}  // namespace
