#include "support/oracle.hpp"
#include <tridap/check.hpp>
#include <tridap/local_part.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>

namespace {

using oracle::Axis;
using oracle::List;
using tridap::Block;
using tridap::Dimension;
using tridap::Index;
using tridap::local_part;
using tridap::Part;
using tridap::Range;
using tridap::Version;

void expect_parts(const Axis& axis) {
  for (Index c = 0; c < axis.grid(); ++c)
    for (const Part part : oracle::parts) {
      const Dimension& d = axis.dims[static_cast<std::size_t>(c)];
      tridap::Report report;
      const std::optional<Index> held = tridap::check_dimension(d, 0, report);
      ASSERT_TRUE(held) << report.text();
      ASSERT_EQ(local_part(d, part), axis.part(c, part)) << "coordinate " << c << " of " << axis.grid();
      if (part == Part::local) {
        ASSERT_EQ(local_part(d, part).size(), *held);
        for (Index local = 0; local < *held; ++local)
          ASSERT_EQ(tridap::global_index(d, local), axis.held_by(c)[static_cast<std::size_t>(local)]);
      }
    }
}

TEST(LocalPart, OfEveryBlockIsWhatTheOracleCounts) {
  for (Index grid = 1; grid <= 4; ++grid)
    for (Index size = 0; size <= 7; ++size)
      for (const List& counts : oracle::splits(size, grid)) expect_parts(oracle::block(counts));
}

TEST(LocalPart, OfEveryPaddedBlockIsWhatTheOracleCounts) {
  for (Index grid = 1; grid <= 3; ++grid)
    for (const List& counts : oracle::splits(6 + grid, grid)) {
      const Index least = *std::min_element(counts.begin(), counts.end());
      for (Index shared = 0; shared <= least; ++shared) {
        List widths = {shared, least - shared};  // of the two borders
        widths.resize(static_cast<std::size_t>(grid - 1));
        for (Index left = 0; left <= counts.front(); ++left)
          for (Index right = 0; right <= counts.back() - (grid == 1 ? left : 0); ++right)
            for (const bool periodic : {false, true})
              expect_parts(oracle::block(counts, widths, {left, right}, periodic));
      }
    }
}

TEST(LocalPart, OfEveryCyclicAxisIsWhatDealingGives) {
  for (Index grid = 1; grid <= 5; ++grid)
    for (Index size = 0; size <= 12; ++size)
      for (Index block = 1; block <= 4; ++block)
        for (Index first = 0; first < grid; ++first) expect_parts(oracle::cyclic(size, block, grid, first));
}

TEST(LocalPart, OfACyclicShareThatStartsPastTheEndIsEmpty) {
  for (Index start = 3; start < 12; ++start) {
    Dimension d = oracle::dimension(3, 2, 1);
    d.dist = tridap::Cyclic{start, 2};
    ASSERT_EQ(local_part(d, Part::local), (Range{0, 0})) << start;
  }
}

TEST(LocalPart, OfUnstructuredAxesIsTheWholeList) {
  expect_parts(oracle::unstructured({{7, -2, 30}, {}, {4}}));
  expect_parts(oracle::unstructured({{}}));
}

/// Three coordinates of a 0.9 axis of 9 elements; each owns [3c, 3c + 3).
Range of_nine(Index c, bool periodic, Part part) {
  Dimension d = oracle::dimension(9, 3, c);
  d.periodic = periodic;
  d.dist = Block{3 * c, 3 * c + 3, {{1, 2}}};
  return local_part(d, part, Version::v0_9);
}

TEST(LocalPart, OfZeroNineHasItsCommunicationPaddingOutsideStartAndStop) {
  EXPECT_EQ(of_nine(0, false, Part::local), (Range{0, 5}));
  EXPECT_EQ(of_nine(0, false, Part::owned), (Range{0, 3}));
  EXPECT_EQ(of_nine(1, false, Part::local), (Range{0, 6}));
  EXPECT_EQ(of_nine(1, false, Part::owned), (Range{1, 4}));
  EXPECT_EQ(of_nine(2, false, Part::local), (Range{0, 4}));
  EXPECT_EQ(of_nine(2, false, Part::owned), (Range{1, 4}));
}

TEST(LocalPart, OfZeroNineHasCommunicationPaddingAtPeriodicEdgesToo) {
  for (Index c = 0; c < 3; ++c) {
    EXPECT_EQ(of_nine(c, true, Part::local), (Range{0, 6}));
    EXPECT_EQ(of_nine(c, true, Part::owned), (Range{1, 4}));
    EXPECT_EQ(of_nine(c, true, Part::interior), (Range{1, 4}));
  }
}

TEST(InVersion, PaddedBlocksShiftByTheirPaddingAndComeBack) {
  for (const Index edge : {0, 1}) {
    const Axis axis = oracle::block({4, 3, 5}, {2, 1}, {edge, edge});
    const Range owned[] = {{0, 4}, {4, 7}, {7, 12}};  // what 0.9's start and stop are
    for (Index c = 0; c < 3; ++c) {
      const Dimension& d = axis.dims[static_cast<std::size_t>(c)];
      const Dimension nine = tridap::in_version(d, Version::v0_10, Version::v0_9, 0);
      const auto& block = std::get<Block>(nine.dist);
      EXPECT_EQ((Range{block.start, block.stop}), owned[c]);
      EXPECT_EQ(block.padding, std::get<Block>(d.dist).padding);
      const Dimension back = tridap::in_version(nine, Version::v0_9, Version::v0_10, 0);
      EXPECT_EQ(std::get<Block>(back.dist).start, std::get<Block>(d.dist).start);
      EXPECT_EQ(std::get<Block>(back.dist).stop, std::get<Block>(d.dist).stop);
      EXPECT_EQ(local_part(nine, Part::local, Version::v0_9), local_part(d, Part::local));
    }
  }
}

TEST(InVersion, BlocksOfSeveralCoordinatesSayThatTheyHaveNoPaddingIn09) {
  const auto padding = [](Index grid) {
    Dimension d = oracle::dimension(6, grid, 0);
    d.dist = Block{0, 6 / grid, {}};
    return std::get<Block>(tridap::in_version(d, Version::v0_10, Version::v0_9, 0).dist).padding;
  };
  EXPECT_EQ(padding(2), (std::array<Index, 2>{0, 0}));
  EXPECT_FALSE(padding(1));
}

TEST(InVersion, OtherKindsAreTheSame) {
  Dimension d = oracle::dimension(9, 2, 1);
  d.dist = tridap::Cyclic{2, 2};
  d.periodic = true;
  EXPECT_EQ(std::get<tridap::Cyclic>(tridap::in_version(d, Version::v0_9, Version::v0_10, 0).dist).start, 2);
}

TEST(InVersion, ThePaddingOfAPeriodicAxisNeedsItsNeighbours) {
  Dimension d = oracle::dimension(9, 3, 1);
  d.periodic = true;
  d.dist = Block{3, 6, {{1, 2}}};
  try {
    tridap::in_version(d, Version::v0_9, Version::v0_10, 4);
    FAIL();
  } catch (const tridap::Error& error) {
    EXPECT_STREQ(error.what(),
                 "axis 4: 'padding' is (1, 2), but on a periodic axis the values of 0.10.0 also depend on the "
                 "neighbours' padding "
                 "[conversion]: gather the array's distribution over its communicator first");
  }
  std::get<Block>(d.dist).padding = {0, 0};
  EXPECT_EQ(std::get<Block>(tridap::in_version(d, Version::v0_9, Version::v0_10, 4).dist).start, 3);
}

TEST(LocalPart, OfHugeAxesNeverWraps) {
  const Index most = std::numeric_limits<Index>::max();
  Dimension d = oracle::dimension(most, most, 0);
  d.dist = tridap::Cyclic{0, most};
  EXPECT_EQ(local_part(d, Part::owned), (Range{0, most}));
  d.dist = Block{most - 1, most, {{0, 0}}};
  EXPECT_EQ(local_part(d, Part::owned), (Range{0, 1}));
}

}  // namespace
