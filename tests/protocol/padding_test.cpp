#include "support/memory_meter.hpp"
#include "support/oracle.hpp"
#include <tridap/make.hpp>
#include <tridap/padding.hpp>

#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace {

using oracle::List;
using tridap::Index;
using tridap::padding_plan;
using tridap::PaddingMove;
using tridap::PaddingPlan;
using tridap::Part;
using tridap::Range;
using Moves = std::vector<PaddingMove>;

/// The index that a mirror mirrors [block.periodic]; any other index itself.
Index original(const oracle::Axis& axis, Index global) {
  const auto* first = std::get_if<tridap::Block>(&axis.dims.front().dist);
  const auto* last = std::get_if<tridap::Block>(&axis.dims.back().dist);
  if (first == nullptr || !axis.dims[0].periodic || !first->padding) return global;
  const Index left = (*first->padding)[0], right = (*last->padding)[1], period = axis.size() - left - right;
  if (global < left) return global + period;
  return global >= axis.size() - right ? global - period : global;
}

using Elements = std::map<List, List>;  // local -> global

Elements elements(const oracle::Array& array, Index process, Part part) {
  Elements all;
  for (const auto& [local, global] : array.elements(process, part)) all[local] = global;
  return all;
}

/// The local indices of a box, row-major.
std::vector<List> walk(const std::vector<Range>& box) {
  List shape;
  for (const Range& range : box) shape.push_back(range.size());
  std::vector<List> all;
  oracle::for_each_index(shape, [&](const List& step) {
    all.push_back(step);
    for (std::size_t i = 0; i < box.size(); ++i) all.back()[i] += box[i].begin;
  });
  return all;
}

/// What a plan fills: each element of padding, and what it repeats.
std::map<List, std::pair<Index, List>> fillings(const PaddingPlan& plan, Index process) {
  std::map<List, std::pair<Index, List>> filled;
  for (const Moves* moves : {&plan.receive, &plan.own})
    for (const PaddingMove& move : *moves) {
      EXPECT_EQ(move.process == process, moves == &plan.own);
      const std::vector<List> here = walk(move.here), there = walk(move.there);
      EXPECT_EQ(here.size(), there.size());
      EXPECT_EQ(move.count(), static_cast<Index>(here.size()));
      for (std::size_t i = 0; i < move.here.size(); ++i) EXPECT_EQ(move.here[i].size(), move.there[i].size());
      for (std::size_t k = 0; k < here.size(); ++k)
        EXPECT_TRUE(filled.insert({here[k], {move.process, there[k]}}).second) << "filled twice";
    }
  return filled;
}

/// Element by element: all padding and nothing else is filled, each from the interior element that it stands for.
void expect_filled(const oracle::Array& array, const std::vector<PaddingPlan>& plans) {
  std::vector<Elements> interior;
  for (Index p = 0; p < array.processes(); ++p) interior.push_back(elements(array, p, Part::interior));
  for (Index p = 0; p < array.processes(); ++p) {
    const auto filled = fillings(plans[static_cast<std::size_t>(p)], p);
    std::size_t padding = 0;
    for (const auto& [local, global] : elements(array, p, Part::local)) {
      if (interior[static_cast<std::size_t>(p)].count(local) > 0) continue;
      ++padding;
      const auto found = filled.find(local);
      ASSERT_NE(found, filled.end());
      List expected = global;
      for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = original(array.axes[i], expected[i]);
      const auto& [source, there] = found->second;
      ASSERT_EQ(interior[static_cast<std::size_t>(source)].count(there), 1U);
      ASSERT_EQ(interior[static_cast<std::size_t>(source)].at(there), expected);
    }
    ASSERT_EQ(filled.size(), padding);
  }
}

using Said = std::tuple<Index, List, List>;  // a process, and the corners of both boxes

Said said(Index process, const std::vector<Range>& first, const std::vector<Range>& second) {
  Said all{process, {}, {}};
  for (const Range& range : first) std::get<1>(all).insert(std::get<1>(all).end(), {range.begin, range.end});
  for (const Range& range : second) std::get<2>(all).insert(std::get<2>(all).end(), {range.begin, range.end});
  return all;
}

List begins(const std::vector<Range>& box) {
  List all;
  for (const Range& range : box) all.push_back(range.begin);
  return all;
}

/// By process, then in the order in which the receiver's boxes stand.
bool in_order(const Moves& moves, std::vector<Range> PaddingMove::*receiver) {
  return std::is_sorted(moves.begin(), moves.end(), [receiver](const PaddingMove& a, const PaddingMove& b) {
    return std::make_pair(a.process, begins(a.*receiver)) < std::make_pair(b.process, begins(b.*receiver));
  });
}

/// What each process sends to each other one is what that one receives from it, box by box.
void expect_matched(const std::vector<PaddingPlan>& plans) {
  std::vector<std::vector<Said>> expected(plans.size()), found(plans.size());
  for (std::size_t p = 0; p < plans.size(); ++p) {
    const auto receiver = static_cast<Index>(p);
    ASSERT_TRUE(in_order(plans[p].receive, &PaddingMove::here));
    ASSERT_TRUE(in_order(plans[p].own, &PaddingMove::here));
    ASSERT_TRUE(in_order(plans[p].send, &PaddingMove::there));
    for (const PaddingMove& move : plans[p].receive)
      expected[static_cast<std::size_t>(move.process)].push_back(said(receiver, move.there, move.here));
    for (const PaddingMove& move : plans[p].send) found[p].push_back(said(move.process, move.here, move.there));
  }
  ASSERT_EQ(found, expected);
}

bool follows(const std::vector<Range>& a, const std::vector<Range>& b, std::size_t axis) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (i == axis ? a[i].end != b[i].begin : !(a[i] == b[i])) return false;
  return true;
}

/// No two boxes from one process are halves of one.
void expect_largest(const Moves& moves) {
  for (const PaddingMove& a : moves)
    for (const PaddingMove& b : moves)
      for (std::size_t axis = 0; axis < a.here.size(); ++axis)
        ASSERT_FALSE(a.process == b.process && follows(a.here, b.here, axis) && follows(a.there, b.there, axis));
}

void expect_plan(const oracle::Array& array) {
  const tridap::Distribution distribution = array.distribution();
  std::vector<PaddingPlan> plans;
  for (Index p = 0; p < array.processes(); ++p) plans.push_back(padding_plan(distribution, p));
  ASSERT_NO_FATAL_FAILURE(expect_filled(array, plans));
  ASSERT_FALSE(testing::Test::HasFailure());
  ASSERT_NO_FATAL_FAILURE(expect_matched(plans));
  for (const PaddingPlan& plan : plans)
    for (const Moves* moves : {&plan.receive, &plan.send, &plan.own}) ASSERT_NO_FATAL_FAILURE(expect_largest(*moves));
}

/// Padding of every sort: wide, at one edge, of different widths, wrapped onto one coordinate, over coordinates that
/// own mirrors alone or nothing at all.
std::vector<oracle::Axis> padded_axes() {
  return {oracle::block({2, 3, 2}, {2, 1}, {1, 2}),
          oracle::block({0, 2, 2}, {0, 2}),
          oracle::block({4}, {}, {1, 1}, true),
          oracle::block({5}, {}, {0, 2}, true),
          oracle::block({6}, {}, {2, 2}, true),
          oracle::block({3, 2}, {1}, {1, 1}, true),
          oracle::block({3, 3}, {3}, {1, 2}, true),
          oracle::block({3, 1, 1, 3}, {1, 1, 1}, {2, 3}, true),
          oracle::block({2, 1, 1, 2}, {1, 1, 1}, {2, 2}, true),
          oracle::block({2, 2, 2}, {2, 2}, {2, 1}, true),
          oracle::block({3, 0, 2}, {0, 0}, {1, 2}, true)};
}

std::vector<oracle::Axis> all_axes() {
  std::vector<oracle::Axis> axes = padded_axes();
  for (const oracle::Axis& axis : oracle::mixed_axes()) axes.push_back(axis);
  axes.push_back(oracle::block({2, 2}, {}, {0, 0}, true));
  axes.push_back(oracle::block({0}));
  return axes;
}

TEST(PaddingPlan, FillsEveryPaddingElementOnceFromItsOwner) {
  expect_plan(oracle::Array({}));
  for (const oracle::Axis& a : all_axes()) {
    ASSERT_NO_FATAL_FAILURE(expect_plan(oracle::Array({a})));
    for (const oracle::Axis& b : all_axes()) ASSERT_NO_FATAL_FAILURE(expect_plan(oracle::Array({a, b})));
  }
}

TEST(PaddingPlan, FillsCornersOfThreeAxes) {
  const std::vector<oracle::Axis> axes = all_axes(), padded = padded_axes();
  const oracle::Axis two = oracle::block({2, 1}, {1}, {1, 1}, true);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    ASSERT_NO_FATAL_FAILURE(expect_plan(oracle::Array({two, axes[i], padded[5]})));
    ASSERT_NO_FATAL_FAILURE(expect_plan(oracle::Array({axes[i], oracle::cyclic(3, 1, 2), two})));
    ASSERT_NO_FATAL_FAILURE(expect_plan(oracle::Array({padded[(3 * i + 1) % padded.size()], two, axes[i]})));
  }
}

/// Every share, communication width and edge width that the protocol allows, on one axis of few elements.
void expect_all_widths(const List& counts) {
  const auto grid = counts.size();
  List most;
  for (std::size_t i = 0; i + 1 < grid; ++i) most.push_back(std::min(counts[i], counts[i + 1]) + 1);
  oracle::for_each_index(most, [&](const List& shared) {
    if (grid > 3 && std::adjacent_find(shared.begin(), shared.end(), std::not_equal_to<>()) != shared.end()) return;
    oracle::for_each_index({counts.front() + 1, counts.back() + 1, 2}, [&](const List& edges) {
      Index size = 0;
      for (Index count : counts) size += count;
      const Index period = size - edges[0] - edges[1];
      if (period < 0 || (edges[2] == 1 && (edges[0] > period || edges[1] > period))) return;
      ASSERT_NO_FATAL_FAILURE(
          expect_plan(oracle::Array({oracle::block(counts, shared, {edges[0], edges[1]}, edges[2] == 1)})));
    });
  });
}

TEST(PaddingPlan, FillsEveryWidthOnOneAxis) {
  for (Index grid = 1; grid <= 4; ++grid)
    for (Index size = 0; size <= 6; ++size)
      for (const List& counts : oracle::splits(size, grid)) {
        expect_all_widths(counts);
        ASSERT_FALSE(HasFailure()) << testing::PrintToString(counts);
      }
}

bool same(const Moves& a, const Moves& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const PaddingMove& x, const PaddingMove& y) {
    return x.process == y.process && x.here == y.here && x.there == y.there;
  });
}

TEST(PaddingPlan, WorkedExampleOfTheHeaderHolds) {
  const auto distribution = tridap::Distribution::make({8}, {tridap::padded_block(1, true)}, {2});
  const PaddingPlan plan = padding_plan(distribution, 0);
  EXPECT_TRUE(same(plan.receive, {{1, {{0, 1}}, {{3, 4}}}, {1, {{4, 5}}, {{1, 2}}}}));
  EXPECT_TRUE(same(plan.send, {{1, {{3, 4}}, {{0, 1}}}, {1, {{1, 2}}, {{4, 5}}}}));
  EXPECT_TRUE(plan.own.empty());
}

TEST(PaddingPlan, PaddingThatRepeatsAMirrorGoesStraightToWhatItMirrors) {
  // Coordinate 0 owns the mirrors 0 and 1 of 3 and 4 alone, and coordinate 1, which owns 2 and 3, has them as padding.
  const oracle::Array array({oracle::block({2, 2, 2}, {2, 2}, {2, 1}, true)});
  const PaddingPlan plan = padding_plan(array.distribution(), 1);
  EXPECT_TRUE(same(plan.own, {{1, {{0, 1}}, {{3, 4}}}, {1, {{5, 6}}, {{2, 3}}}}));
  EXPECT_TRUE(same(plan.receive, {{2, {{1, 2}}, {{2, 3}}}, {2, {{4, 5}}, {{2, 3}}}}));
}

/// Plans `process` with few and small pieces of memory.
PaddingPlan cheap_plan(const tridap::Distribution& distribution, Index process) {
  struct Limit {
    Limit() { memory_meter::allocations_left = 500; }
    ~Limit() { memory_meter::allocations_left = -1; }
  };
  memory_meter::largest_allocation = 0;
  PaddingPlan plan = (Limit(), padding_plan(distribution, process));
  EXPECT_LT(memory_meter::largest_allocation, 8192U);
  return plan;
}

TEST(PaddingPlan, CostsNothingInProportionToElementsOrProcesses) {
  const Index size = 1000000000, grid = 1000, share = size / grid;
  const auto plane = tridap::Distribution::make(
      {size, size}, {tridap::padded_block(3, true), tridap::padded_block(3, true)}, {grid, grid});
  for (Index process : {Index{0}, grid - 1, 500 * grid + 500, grid * grid - 1}) {
    const PaddingPlan plan = cheap_plan(plane, process);
    EXPECT_EQ(plan.receive.size(), 8U);
    EXPECT_EQ(plan.send.size(), 8U);
    EXPECT_EQ(plan.own.size(), 0U);
    Index received = 0;
    for (const PaddingMove& move : plan.receive) received += move.count();
    const bool corner = process != 500 * grid + 500;
    EXPECT_EQ(received, corner ? (share + 3) * (share + 3) - (share - 3) * (share - 3) : 12 * share + 36);
  }
  const Index many = Index{1} << 20;
  const auto wide =
      tridap::Distribution::make({2 * many, 3 * many}, {tridap::padded_block(1), tridap::whole()}, {many, 1});
  EXPECT_EQ(cheap_plan(wide, many / 2).receive.size(), 2U);
  EXPECT_EQ(cheap_plan(wide, many - 1).send.size(), 1U);
}

TEST(PaddingPlan, BoxTooLargeToCountSaysSo) {
  const Index big = Index{1} << 62;
  const auto distribution =
      tridap::Distribution::make({big, 4, big}, {tridap::whole(), tridap::padded_block(1), tridap::whole()}, {1, 2, 1});
  const PaddingPlan plan = padding_plan(distribution, 1);
  ASSERT_EQ(plan.receive.size(), 1U);
  EXPECT_THROW(plan.receive[0].count(), tridap::Error);
}

}  // namespace
