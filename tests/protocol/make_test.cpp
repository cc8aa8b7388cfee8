#include "support/expect_axis.hpp"
#include <tridap/make.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace {

using oracle::Counts;
using oracle::List;
using tridap::AxisSpec;
using tridap::BlockSpec;
using tridap::Distribution;
using tridap::Index;
using tridap::Rule;

constexpr Index highest = std::numeric_limits<Index>::max(), huge = Index{1} << 62, million = 1000000;

/// The spec makes what the oracle wrote out, and stamps what the oracle stamps.
void expect_made(Index size, const AxisSpec& spec, Index grid, const oracle::Axis& truth) {
  tridap::Report report;
  const auto axis = tridap::make_axis(size, spec, grid, 0, report);
  ASSERT_TRUE(axis) << report.text();
  ASSERT_EQ(report.text(), "");
  ASSERT_NO_FATAL_FAILURE(oracle::expect_axis(*axis, truth));
  for (Index c = 0; c < grid; ++c) {
    const tridap::Dimension made = axis->dimension(c), &said = truth.dims[static_cast<std::size_t>(c)];
    ASSERT_EQ(made.size, said.size);
    ASSERT_EQ(made.proc_grid_size, said.proc_grid_size);
    ASSERT_EQ(made.proc_grid_rank, said.proc_grid_rank);
    ASSERT_EQ(made.periodic, said.periodic);
    ASSERT_EQ(made.dist_type(), said.dist_type());
    if (const auto* block = std::get_if<tridap::Block>(&made.dist)) {
      const auto& other = std::get<tridap::Block>(said.dist);
      ASSERT_EQ(block->start, other.start);
      ASSERT_EQ(block->stop, other.stop);
      const std::array<Index, 2> none = {0, 0};
      ASSERT_EQ(block->padding.value_or(none), other.padding.value_or(none));
    } else if (const auto* cyclic = std::get_if<tridap::Cyclic>(&made.dist)) {
      ASSERT_EQ(cyclic->start, std::get<tridap::Cyclic>(said.dist).start);
      ASSERT_EQ(cyclic->block_size, std::get<tridap::Cyclic>(said.dist).block_size);
    } else {
      ASSERT_EQ(std::get<tridap::Unstructured>(made.dist).one_to_one,
                std::get<tridap::Unstructured>(said.dist).one_to_one);
    }
  }
}

/// Refused for exactly these rules, with the axis named, in these words.
void expect_refused(Index size, const AxisSpec& spec, Index grid, const Counts& rules, const std::string& words) {
  tridap::Report report;
  EXPECT_FALSE(tridap::make_axis(size, spec, grid, 3, report));
  EXPECT_EQ(report.counts(), rules) << report.text();
  EXPECT_NE(report.text().find(words), std::string::npos) << report.text();
  for (const tridap::Finding& finding : report.findings()) EXPECT_EQ(finding.axis, 3);
}

/// Each coordinate takes `length` elements as long as there are any.
List taken(Index size, Index grid, Index length) {
  List counts;
  for (Index c = 0; c < grid; ++c) {
    counts.push_back(std::min(length, size));
    size -= counts.back();
  }
  return counts;
}

/// The smallest length with which everything is taken.
Index fair_length(Index size, Index grid) {
  for (Index length = 0;; ++length) {
    Index held = 0;
    for (const Index count : taken(size, grid, length)) held += count;
    if (held == size) return length;
  }
}

TEST(MakeAxis, BlocksAreTakenInTurnByLength) {
  for (Index size = 0; size <= 24; ++size)
    for (Index grid = 1; grid <= 5; ++grid) {
      const Index fair = fair_length(size, grid);
      ASSERT_NO_FATAL_FAILURE(expect_made(size, tridap::block(), grid, oracle::block(taken(size, grid, fair))));
      for (Index length = fair; length <= fair + 3; ++length)
        ASSERT_NO_FATAL_FAILURE(
            expect_made(size, tridap::block(length), grid, oracle::block(taken(size, grid, length))));
      expect_refused(size, tridap::block(fair - 1), grid, {{Rule::block_tiling, 1}},
                     "'length' is " + std::to_string(fair - 1) + ", must be at least " + std::to_string(fair));
    }
}

TEST(MakeAxis, StartsMayBeAnythingThatDoesNotFall) {
  for (Index size = 0; size <= 8; ++size)
    for (Index grid = 1; grid <= 4; ++grid)
      for (const List& counts : oracle::splits(size, grid)) {
        List starts;
        Index first = 0;
        for (const Index count : counts) {
          starts.push_back(first);
          first += count;
        }
        ASSERT_NO_FATAL_FAILURE(expect_made(size, tridap::block_at(starts), grid, oracle::block(counts)));
      }
}

TEST(MakeAxis, CyclicHoldsWhatDealingGives) {
  for (Index size = 0; size <= 16; ++size)
    for (Index grid = 1; grid <= 5; ++grid)
      for (Index block_size = 1; block_size <= 4; ++block_size)
        for (Index first = 0; first < grid; ++first)
          ASSERT_NO_FATAL_FAILURE(expect_made(size, tridap::cyclic(block_size, first), grid,
                                              oracle::cyclic(size, block_size, grid, first)));
  expect_made(5, tridap::cyclic(), 2, oracle::cyclic(5, 1, 2));
}

TEST(MakeAxis, ListsAreHeldAsTheyAreAndWholeAxesByOne) {
  for (const std::vector<List>& lists : std::vector<std::vector<List>>{{{}}, {{3, 1}, {}, {-2}}, {{7, 8, 9}, {100}}})
    for (const bool one_to_one : {false, true}) {
      const oracle::Axis truth = oracle::unstructured(lists, one_to_one);
      expect_made(truth.size(), tridap::unstructured(lists, one_to_one), truth.grid(), truth);
    }
  expect_made(4, tridap::unstructured({{0, 1}, {1, 2}}), 2, oracle::unstructured({{0, 1}, {1, 2}}));
  for (Index size = 0; size <= 5; ++size) expect_made(size, tridap::whole(), 1, oracle::block({size}));
}

TEST(MakeAxis, PaddingIsMadeExactlyWhereTheSharesAreWideEnough) {
  Index made = 0;
  for (Index size = 0; size <= 8; ++size)
    for (Index grid = 1; grid <= 4; ++grid)
      for (const List& counts : oracle::splits(size, grid))
        for (Index padding = 0; padding <= 2; ++padding)
          for (Index left = 0; left <= 3; ++left)
            for (Index right = 0; right <= 3; ++right)
              for (const bool periodic : {false, true}) {
                BlockSpec spec = tridap::block_at({});
                Index first = 0, narrow = 0;
                for (std::size_t c = 0; c < counts.size(); ++c) {
                  spec.starts->push_back(first);
                  first += counts[c];
                  if (c + 1 < counts.size() && std::min(counts[c], counts[c + 1]) < padding) ++narrow;
                }
                spec.padding = padding;
                spec.edges = {left, right};
                spec.periodic = periodic;
                const bool edges = left <= counts.front() && right <= counts.back() && left + right <= size;
                const Index period = size - left - right;
                Counts rules;
                if (!edges) rules[Rule::block_padding] = 1;
                if (narrow > 0) rules[Rule::block_padding_owned] = narrow;
                if (periodic && edges && (left > period || right > period)) rules[Rule::block_periodic] = 1;
                tridap::Report report;
                const auto axis = tridap::make_axis(size, spec, grid, 0, report);
                if (!edges && periodic) {  // a period of less than nothing may be told too
                  ASSERT_FALSE(axis);
                  ASSERT_EQ(report.count(Rule::block_padding), 1);
                  continue;
                }
                ASSERT_EQ(axis.has_value(), rules.empty()) << report.text();
                ASSERT_EQ(report.counts(), rules) << report.text();
                if (!axis) continue;
                ++made;
                List shared;
                if (padding > 0 || left > 0 || right > 0) shared.assign(counts.size() - 1, padding);
                ASSERT_NO_FATAL_FAILURE(
                    expect_made(size, spec, grid, oracle::block(counts, shared, {left, right}, periodic)));
              }
  EXPECT_GT(made, 1000);
}

TEST(MakeAxis, PaddedBlocksAreEvenWhereTheLastWouldBeTooShort) {
  tridap::BlockSpec inner;
  inner.padding = 1;
  expect_made(9, inner, 4, oracle::block({3, 2, 2, 2}, {1, 1, 1}, {0, 0}));   // not 3, 3, 3, 0
  expect_made(10, inner, 4, oracle::block({3, 3, 3, 1}, {1, 1, 1}, {0, 0}));  // which will do
  expect_made(14, tridap::padded_block(1, true), 6, oracle::block({3, 3, 2, 2, 2, 2}, {1, 1, 1, 1, 1}, {1, 1}, true));
  inner.edges = {0, 2};
  expect_made(10, inner, 4, oracle::block({3, 3, 2, 2}, {1, 1, 1}, {0, 2}));
}

TEST(MakeAxis, PaddedBlockPadsTheOuterEdgesToo) {
  expect_made(9, tridap::padded_block(1), 3, oracle::block({3, 3, 3}, {1, 1}, {1, 1}));
  expect_made(9, tridap::padded_block(2, true), 2, oracle::block({5, 4}, {2}, {2, 2}, true));
  BlockSpec turning = tridap::block();
  turning.periodic = true;
  expect_made(5, turning, 2, oracle::block({3, 2}, {}, {0, 0}, true));
}

TEST(MakeAxis, RefusesWhatIsWrongByRuleAndValue) {
  for (const AxisSpec& spec : {AxisSpec(tridap::block()), AxisSpec(tridap::cyclic()), AxisSpec(tridap::whole())}) {
    expect_refused(-1, spec, 1, {{Rule::size, 1}}, "'size' is -1, must be at least 0");
    expect_refused(4, spec, 0, {{Rule::grid_size, 1}}, "'proc_grid_size' is 0, must be at least 1");
    expect_refused(-1, spec, -1, {{Rule::size, 1}, {Rule::grid_size, 1}}, "'proc_grid_size' is -1");
  }
  expect_refused(4, tridap::whole(), 2, {{Rule::grid_size, 1}}, "'proc_grid_size' is 2, must be 1");
  expect_refused(4, tridap::cyclic(0), 2, {{Rule::cyclic_block_size, 1}}, "'block_size' is 0");
  expect_refused(4, tridap::cyclic(1, 2), 2, {{Rule::cyclic_start, 1}}, "'first' is 2");
  expect_refused(4, tridap::cyclic(-3, -1), 2, {{Rule::cyclic_block_size, 1}, {Rule::cyclic_start, 1}},
                 "'first' is -1");
  expect_refused(3, tridap::unstructured({{0}, {1}, {2}}), 2, {{Rule::grid_size, 1}}, "lists for 3 coordinates");
  expect_refused(3, tridap::unstructured({{0}, {1}}), 2, {{Rule::unstructured_size, 1}}, "'size' is 3");
  expect_refused(3, tridap::unstructured({{0}, {1, 1}}), 2, {{Rule::unstructured_unique, 1}}, "'indices'");
  expect_refused(3, tridap::unstructured({{0}, {1, 0}}, true), 2, {{Rule::unstructured_one_to_one, 1}}, "'one_to_one'");
  expect_refused(8, tridap::block_at({0, 2, 4}), 2, {{Rule::grid_size, 1}}, "starts for 3 coordinates");
  expect_refused(8, tridap::block_at({}), 2, {{Rule::grid_size, 1}}, "starts for 0 coordinates");
  expect_refused(8, tridap::block_at({1, 2}), 2, {{Rule::block_tiling, 1}}, "'start' is 1, must be 0 at coordinate 0");
  expect_refused(8, tridap::block_at({0, 5, 4}), 3, {{Rule::block_tiling, 1}},
                 "'start' is 4, must not be less than the previous start");
  expect_refused(8, tridap::block_at({0, 9}), 2, {{Rule::block_bounds, 1}}, "'start' is 9, must be at most size 8");
  expect_refused(8, tridap::block_at({0, 9, -1}), 3, {{Rule::block_bounds, 1}, {Rule::block_tiling, 1}},
                 "'start' is -1");
  expect_refused(8, tridap::padded_block(-1), 2, {{Rule::block_padding, 1}}, "'padding' is -1 and (-1, -1)");
  BlockSpec spec = tridap::block();
  spec.edges = {0, -2};
  expect_refused(8, spec, 2, {{Rule::block_padding, 1}}, "(0, -2) at the edges, must be widths of at least 0");
  expect_refused(8, tridap::padded_block(5), 2, {{Rule::block_padding, 1}, {Rule::block_padding_owned, 1}},
                 "5 between coordinates 0 and 1");
  expect_refused(huge, tridap::padded_block(1), huge, {{Rule::grid_size, 1}}, "must be at most 16777216");
  expect_refused(huge, spec, huge, {{Rule::grid_size, 1}}, "if shares are padded");
  expect_refused(8, tridap::padded_block(3, true), 1, {{Rule::block_periodic, 1}}, "size - left - right = 2");
}

TEST(MakeDistribution, CollectsWhatIsWrongWithEveryAxis) {
  try {
    Distribution::make({-1, 5, 6}, {tridap::block(), tridap::whole(), tridap::cyclic(0)}, {2, 3, 4});
    FAIL() << "accepted";
  } catch (const tridap::Error& error) {
    EXPECT_EQ(error.report().counts(), (Counts{{Rule::size, 1}, {Rule::grid_size, 1}, {Rule::cyclic_block_size, 1}}));
    for (Index axis = 0; axis < 3; ++axis)
      EXPECT_EQ(error.report().findings()[static_cast<std::size_t>(axis)].axis, axis);
  }
  const std::vector<std::pair<List, List>> unequal = {{{4}, {2, 2}}, {{4, 4}, {2}}, {{4, 4, 4}, {2, 2, 2}}};
  for (const auto& [shape, grid] : unequal) try {
      Distribution::make(shape, {tridap::block(), tridap::block()}, grid);
      FAIL() << "accepted";
    } catch (const tridap::Error& error) {
      EXPECT_EQ(error.report().counts(), (Counts{{Rule::shape_ndim, 1}}));
    }
  EXPECT_EQ(Distribution::make({}, {}, {}).processes(), 1);
  EXPECT_THROW(Distribution::make({4, 4}, {tridap::block(), tridap::block()}, {huge, 2}), tridap::Error);
}

/// All ways to write a number as factors in falling order.
std::vector<List> falling_factors(Index number, Index factors, Index largest) {
  if (factors == 0) return number == 1 ? std::vector<List>{{}} : std::vector<List>{};
  std::vector<List> all;
  for (Index first = 1; first <= std::min(number, largest); ++first) {
    if (number % first != 0) continue;
    for (List rest : falling_factors(number / first, factors - 1, first)) {
      rest.insert(rest.begin(), first);
      all.push_back(rest);
    }
  }
  return all;
}

TEST(NearSquareGrid, IsTheSmallestOfAllFactorisations) {
  for (Index processes = 1; processes <= 200; ++processes)
    for (Index ndim = 1; ndim <= 5; ++ndim) {
      const std::vector<List> all = falling_factors(processes, ndim, processes);
      ASSERT_EQ(tridap::near_square_grid(processes, ndim), *std::min_element(all.begin(), all.end()))
          << processes << " over " << ndim;
    }
  EXPECT_EQ(tridap::near_square_grid(12, 2), (List{4, 3}));
  EXPECT_EQ(tridap::near_square_grid(Index{1} << 40, 2), (List{1 << 20, 1 << 20}));
  EXPECT_EQ(tridap::near_square_grid(999983, 3), (List{999983, 1, 1}));  // a prime
  EXPECT_EQ(tridap::near_square_grid(1, 0), List{});
}

TEST(NearSquareGrid, ManyAxesAndManyDivisorsTakeNoTime) {
  List grid = tridap::near_square_grid(Index{1} << 40, 100);
  EXPECT_EQ(std::count(grid.begin(), grid.begin() + 40, 2), 40);
  EXPECT_EQ(std::count(grid.begin() + 40, grid.end(), 1), 60);
  for (const Index ndim : {12, 16, 39, 40, 41, 1000}) {  // 2^6 3^4 5^2 7 11 13 17 19 23 has 6720 divisors
    grid = tridap::near_square_grid(963761198400, ndim);
    ASSERT_EQ(static_cast<Index>(grid.size()), ndim);
    EXPECT_TRUE(std::is_sorted(grid.rbegin(), grid.rend()));
    EXPECT_EQ(tridap::checked_product(grid), 963761198400);
    EXPECT_EQ(grid.front(), 23);
  }
}

void expect_no_grid(const std::function<List()>& make, const std::string& words) {
  try {
    ADD_FAILURE() << "accepted: " << ::testing::PrintToString(make());
  } catch (const tridap::Error& error) {
    EXPECT_EQ(error.report().counts(), (Counts{{Rule::grid_product, 1}}));
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(NearSquareGrid, RefusesWhatIsNoGrid) {
  expect_no_grid([] { return tridap::near_square_grid(0, 2); }, "cannot have 0 processes");
  expect_no_grid([] { return tridap::near_square_grid(-4, 2); }, "cannot have -4 processes");
  expect_no_grid([] { return tridap::near_square_grid(2, 0); }, "an array without axes is on one process, not on 2");
  expect_no_grid([] { return tridap::near_square_grid((Index{1} << 40) + 1, 2); }, "too many to choose a grid");
  expect_no_grid([] { return tridap::near_square_grid(huge, 2); }, "too many to choose a grid");
}

TEST(DefaultGrid, SharesWhatListsAndWholeAxesLeave) {
  const AxisSpec open[] = {tridap::block(), tridap::cyclic(2), tridap::padded_block(1)};
  const AxisSpec two = tridap::unstructured({{0}, {1}}), three = tridap::block_at({0, 1, 2}), one = tridap::whole();
  for (Index processes = 1; processes <= 60; ++processes)
    oracle::for_each_index({4, 4, 4}, [&](const List& kinds) {  // open, 2 lists, 3 starts, whole
      std::vector<AxisSpec> specs;
      Index left = processes, opens = 0;
      bool divides = true;
      for (const Index kind : kinds) {
        specs.push_back(kind == 0 ? open[opens++] : kind == 1 ? two : kind == 2 ? three : one);
        const Index shares = kind == 1 ? 2 : kind == 2 ? 3 : 1;
        divides = divides && left % shares == 0;
        left /= shares;
      }
      const std::vector<List> all = falling_factors(left, opens, left);
      if (!divides || all.empty()) return expect_no_grid([&] { return tridap::default_grid(processes, specs); }, "");
      const List& best = *std::min_element(all.begin(), all.end());
      List expected;
      std::size_t next = 0;
      for (const Index kind : kinds) expected.push_back(kind == 0 ? best[next++] : kind == 1 ? 2 : kind == 2 ? 3 : 1);
      ASSERT_EQ(tridap::default_grid(processes, specs), expected);
    });
  expect_no_grid([] { return tridap::default_grid(4, {tridap::block_at({})}); }, "0 shares of axis 0");
  expect_no_grid(
      [] {
        return tridap::default_grid(4, {tridap::block_at({0, 20})});
      },
      "the axes need 2 processes (one for each start or list), but 4 processes are given");
  expect_no_grid([] { return tridap::default_grid(4, {tridap::whole()}); }, "the axes need 1 process (");
  expect_no_grid([] { return tridap::default_grid(0, {tridap::block()}); }, "cannot have 0 processes");
}

TEST(MakeDistribution, HugeSizesNeitherWrapNorAllocate) {
  const Distribution one = Distribution::make(
      {highest, huge, huge, highest}, {tridap::block(), tridap::block(huge), tridap::cyclic(huge, 1), tridap::whole()},
      {3, huge / 16, 3, 1});
  EXPECT_EQ(one.processes(), huge / 16 * 9);
  EXPECT_EQ(one.axis(0).count(2), highest - 2 * (highest / 3 + (highest % 3 != 0 ? 1 : 0)));
  EXPECT_EQ(one.axis(1).count(0), huge);
  EXPECT_EQ(one.axis(1).count(1), 0);
  EXPECT_EQ(one.axis(2).count(1), huge);
  EXPECT_EQ(one.axis(2).owner(huge - 1), 1);
  const tridap::Axis many = Distribution::make({huge}, {tridap::cyclic(1, huge - 1)}, {huge}).axis(0);
  EXPECT_EQ(many.owner(0), huge - 1);
  EXPECT_EQ(many.owner(huge - 1), huge - 2);
  const tridap::Axis padded = Distribution::make({highest}, {tridap::padded_block(huge / 2, true)}, {2}).axis(0);
  EXPECT_EQ(padded.count(0), huge);
  EXPECT_EQ(padded.part(0, tridap::Part::local).size(), huge + huge / 2);
  EXPECT_EQ(padded.mirrored(0), highest - huge);
}

TEST(MakeDistribution, AMillionProcessesAreNoMatter) {
  const Distribution line =
      Distribution::make({3 * million, 5}, {tridap::padded_block(1, true), tridap::whole()}, {million, 1});
  EXPECT_EQ(line.count(million - 1), 15);
  EXPECT_EQ(line.local_shape(1), (List{5, 5}));
  const Distribution square = Distribution::make({5000, 7001}, {tridap::block(), tridap::cyclic(7)}, {1000, 1000});
  EXPECT_EQ(square.processes(), million);
  EXPECT_EQ(square.owner({4999, 7000}), 999 * 1000);
  EXPECT_EQ(square.coordinates(million - 1), (tridap::Indices{999, 999}));
  List starts;
  for (Index c = 0; c < million; ++c) starts.push_back(c + (c > 7 ? 5 : 0));
  const Distribution uneven = Distribution::make({million + 5}, {tridap::block_at(std::move(starts))}, {million});
  EXPECT_EQ(uneven.count(7), 6);
  EXPECT_EQ(uneven.owner({million + 4}), million - 1);
}

}  // namespace
