#include "support/expect_axis.hpp"
#include <tridap/axis.hpp>
#include <tridap/kinds.hpp>
#include <tridap/make.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace {

using oracle::List;
using tridap::BlockKind;
using tridap::CyclicKind;
using tridap::Index;
using tridap::Location;
using tridap::UnstructuredKind;
using tridap::detail::FastDivisor;

constexpr Index highest = std::numeric_limits<Index>::max(), huge = Index{1} << 62;

TEST(FastDivisor, DividesEverySmallNumber) {
  for (Index divisor = 1; divisor <= 300; ++divisor) {
    const FastDivisor divider(divisor);
    ASSERT_EQ(divider.divisor(), divisor);
    Index quotient = 0, rest = 0;
    for (Index n = 0; n <= 1500; ++n) {  // by counting
      ASSERT_EQ(divider.quotient(n), quotient) << n << " / " << divisor;
      if (++rest == divisor) rest = 0, ++quotient;
    }
  }
  EXPECT_EQ(FastDivisor().quotient(highest), highest);
}

/// Numbers where multiplication by a reciprocal goes wrong first.
List edge_numbers() {
  List all = {1, 2, 3, highest, highest - 1, highest / 2, highest / 3, huge};
  for (int bit = 1; bit < 63; ++bit)
    for (const Index off : {-1, 0, 1}) all.push_back((Index{1} << bit) + off);
  for (Index k = 2; k <= 60; ++k) all.push_back(highest / k), all.push_back(highest / k + 1);
  return all;
}

TEST(FastDivisor, IsExactAtPowersOfTwoAndAtBothSidesOfEveryMultiple) {
  for (const Index divisor : edge_numbers()) {
    if (divisor < 1) continue;
    const FastDivisor divider(divisor);
    const auto expect = [&](Index n) { ASSERT_EQ(divider.quotient(n), n / divisor) << n << " / " << divisor; };
    expect(0);
    expect(highest);
    for (const Index n : edge_numbers()) {
      expect(n);
      const Index multiple = n / divisor * divisor;
      expect(multiple);
      if (multiple > 0) expect(multiple - 1);
      if (multiple <= highest - divisor) expect(multiple + divisor - 1);
    }
  }
}

TEST(FastDivisor, IsExactForRandomNumbers) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; ++round) {
    const Index divisor = std::max<Index>(1, static_cast<Index>(random() >> (1 + random() % 63)));
    const FastDivisor divider(divisor);
    for (int i = 0; i < 100; ++i) {
      const Index n = static_cast<Index>(random() >> (1 + random() % 63));
      ASSERT_EQ(divider.quotient(n), n / divisor) << n << " / " << divisor;
      const Index before = n - n % divisor;  // where the quotient changes
      ASSERT_EQ(divider.quotient(before), n / divisor);
      if (before > 0) {
        ASSERT_EQ(divider.quotient(before - 1), n / divisor - 1) << before - 1 << " / " << divisor;
      }
    }
  }
}

TEST(BlockKind, BoundsAreEvenWhereOneLengthExplainsThem) {
  for (Index size = 0; size <= 10; ++size)
    for (Index grid = 1; grid <= 5; ++grid)
      for (const List& counts : oracle::splits(size, grid)) {
        List bounds = {0};
        for (const Index count : counts) bounds.push_back(bounds.back() + count);
        bool explained = false;
        for (Index length = 1; length <= size + 1; ++length) {
          bool all = true;
          for (Index c = 0; c <= grid; ++c)
            all = all && bounds[static_cast<std::size_t>(c)] == std::min(c * length, size);
          explained = explained || all;
        }
        const BlockKind kind(bounds);
        ASSERT_EQ(kind.is_uniform(), explained) << ::testing::PrintToString(bounds);
        ASSERT_EQ(kind.size(), size);
        ASSERT_EQ(kind.grid(), grid);
        for (Index c = 0; c <= grid; ++c) ASSERT_EQ(kind.begin(c), bounds[static_cast<std::size_t>(c)]);
        if (explained && size > 0) {
          ASSERT_EQ(kind.length(), counts[0]);
        }
        ASSERT_NO_FATAL_FAILURE(oracle::expect_axis(tridap::Axis(kind), oracle::block(counts)));
      }
}

TEST(BlockKind, OneLengthIsTakenInTurn) {
  for (Index size = 0; size <= 12; ++size)
    for (Index grid = 1; grid <= 5; ++grid)
      for (Index length = 1; length <= 14; ++length) {
        if (length * grid < size) continue;
        List counts;
        for (Index c = 0, left = size; c < grid; ++c) {
          counts.push_back(std::min(length, left));
          left -= counts.back();
        }
        ASSERT_TRUE(BlockKind(size, grid, length).is_uniform());
        ASSERT_NO_FATAL_FAILURE(
            oracle::expect_axis(tridap::Axis(BlockKind(size, grid, length)), oracle::block(counts)));
      }
  EXPECT_EQ(BlockKind(0, 3, 0).begin(3), 0);
}

TEST(BlockKind, PaddingIsAsStampedAndCommunicationIsTheNeighbours) {
  const BlockKind plain({0, 4, 7, 9});
  EXPECT_FALSE(plain.is_padded());
  EXPECT_EQ(plain.padding(1), (std::array<Index, 2>{0, 0}));
  const BlockKind kind = plain.padded({{{3, 1}}, {{1, 2}}, {{2, 1}}}, true);
  EXPECT_TRUE(kind.is_padded());
  EXPECT_EQ(kind.edges(), (std::array<Index, 2>{3, 1}));
  EXPECT_EQ(kind.padding(1), (std::array<Index, 2>{1, 2}));
  EXPECT_EQ(kind.communication(0), (std::array<Index, 2>{0, 1}));
  EXPECT_EQ(kind.communication(1), (std::array<Index, 2>{1, 2}));
  EXPECT_EQ(kind.communication(2), (std::array<Index, 2>{2, 0}));
  oracle::expect_axis(tridap::Axis(kind, true), oracle::block({4, 3, 2}, {1, 2}, {3, 1}, true));
  oracle::expect_axis(tridap::Axis(plain.padded({{{3, 1}}, {{1, 2}}, {{2, 1}}}, false)),
                      oracle::block({4, 3, 2}, {1, 2}, {3, 1}));
}

TEST(BlockKind, MirrorsAreNotInteriorWhereverTheyLie) {
  for (Index grid = 1; grid <= 3; ++grid)
    for (Index size = 0; size <= 7; ++size)
      for (const List& counts : oracle::splits(size, grid))
        for (Index left = 0; left <= counts.front(); ++left)
          for (Index right = 0; right <= counts.back(); ++right) {
            const Index period = size - left - right;
            if (period < std::max(left, right)) continue;
            List bounds = {0};
            for (const Index count : counts) bounds.push_back(bounds.back() + count);
            std::vector<std::array<Index, 2>> widths(counts.size(), {0, 0});
            widths.front()[0] = left;
            widths.back()[1] = right;
            const List shared(counts.size() - 1, 0);
            ASSERT_NO_FATAL_FAILURE(oracle::expect_axis(tridap::Axis(BlockKind(bounds).padded(widths, true), true),
                                                        oracle::block(counts, shared, {left, right}, true)));
          }
}

TEST(CyclicKind, TurnsAreCountedFromTheFirstThatIsServed) {
  for (Index size = 0; size <= 20; ++size)
    for (Index grid = 1; grid <= 5; ++grid)
      for (Index block_size = 1; block_size <= 5; ++block_size)
        for (Index first = 0; first < grid; ++first) {
          const oracle::Axis truth = oracle::cyclic(size, block_size, grid, first);
          const CyclicKind kind(size, grid, block_size, first);
          ASSERT_EQ(kind.turn(first), 0);
          ASSERT_EQ(kind.turn((first + 1) % grid), grid == 1 ? 0 : 1);
          for (Index c = 0; c < grid; ++c)
            ASSERT_EQ(kind.start(c), std::get<tridap::Cyclic>(truth.dims[static_cast<std::size_t>(c)].dist).start);
          ASSERT_NO_FATAL_FAILURE(oracle::expect_axis(tridap::Axis(kind), truth));
        }
}

TEST(Kinds, HugeNumbersNeitherWrapNorAllocate) {
  const BlockKind block(highest, huge, huge);
  EXPECT_EQ(block.begin(1), huge);
  EXPECT_EQ(block.begin(2), highest);
  EXPECT_EQ(block.begin(huge), highest);
  EXPECT_EQ(block.locate(highest - 1), (Location{1, huge - 2}));
  EXPECT_FALSE(block.locate(highest));
  const CyclicKind cyclic(highest, huge, huge, huge - 1);
  EXPECT_EQ(cyclic.locate(0), (Location{huge - 1, 0}));
  EXPECT_EQ(cyclic.locate(highest - 1), (Location{0, huge - 2}));
  EXPECT_EQ(cyclic.start(1), highest);
  EXPECT_EQ(cyclic.count(1), 0);
  EXPECT_EQ(cyclic.global_index(0, huge - 2), highest - 1);
  const CyclicKind rounds(highest, 2, 3, 1);
  EXPECT_EQ(rounds.global_index(rounds.locate(highest - 1)->coordinate, rounds.locate(highest - 1)->local),
            highest - 1);
  Index seen = 0;
  tridap::Axis(rounds).for_each_location(highest - 9, highest, [&](Index global, Location place) {
    EXPECT_EQ(rounds.locate(global), place);
    ++seen;
  });
  EXPECT_EQ(seen, 9);
}

TEST(Kinds, EmptySharesBehindHugeOnesHoldNothingAndWrapNothing) {
  for (const tridap::AxisSpec& spec :
       {tridap::AxisSpec(tridap::block(huge)), tridap::AxisSpec(tridap::cyclic(huge, 1))}) {
    tridap::Report report;
    const auto axis = tridap::make_axis(10, spec, 4, 0, report);
    ASSERT_TRUE(axis) << report.text();
    for (Index c = 0; c < 4; ++c) {
      EXPECT_EQ(axis->local_index(c, 0).has_value(), axis->count(c) > 0);
      axis->for_each(c, tridap::Part::local, [&](Index local, Index global) { EXPECT_EQ(local, global); });
    }
  }
  const tridap::CyclicKind many(5, highest, 1,
                                highest - 2);  // dealt to the last two coordinates, and round to the first
  for (Index g = 0; g < 5; ++g) EXPECT_EQ(many.locate(g), (tridap::Location{g < 2 ? highest - 2 + g : g - 2, 0}));
  Index next = 0;
  tridap::Axis(many).for_each_location(0, 5, [&](Index global, tridap::Location place) {
    EXPECT_EQ(global, next++);
    EXPECT_EQ(place, many.locate(global));
  });
  EXPECT_EQ(next, 5);
}

TEST(UnstructuredKind, FindsTheLowestCoordinateOfEveryIndex) {
  const std::vector<std::vector<List>> cases = {{{}},
                                                {{}, {}},
                                                {{5}},
                                                {{3, 1}, {2}},                    // close together
                                                {{3, 1}, {1, 2}, {3, 0}},         // shared
                                                {{-1000, 1000}, {0}, {1000, 7}},  // far apart
                                                {{std::numeric_limits<Index>::min(), 4}, {highest, 4}}};
  for (const std::vector<List>& lists : cases) {
    const UnstructuredKind kind(lists, false);
    std::set<Index> distinct;
    Index total = 0;
    for (const List& list : lists) {
      total += static_cast<Index>(list.size());
      distinct.insert(list.begin(), list.end());
    }
    EXPECT_EQ(kind.total(), total);
    EXPECT_EQ(kind.distinct(), static_cast<Index>(distinct.size()));
    EXPECT_EQ(kind.shares_indices(), total != kind.distinct());
    EXPECT_EQ(kind.grid(), static_cast<Index>(lists.size()));
    const oracle::Axis truth = oracle::unstructured(lists);
    std::set<Index> asked = {-3, -2, -1, 0, 1, 2, 3, 4, 5, 999, -999, huge};
    asked.insert(distinct.begin(), distinct.end());
    for (const Index global : asked) {
      const List owners = truth.owners(global);
      const auto place = kind.locate(global);
      ASSERT_EQ(place.has_value(), !owners.empty()) << global;
      if (!place) continue;
      EXPECT_EQ(place->coordinate, owners.front());
      EXPECT_EQ(place->local, *truth.find(owners.front(), global, tridap::Part::local));
      const auto [begin, end] = kind.entries(global);
      List listed;
      for (const auto* entry = begin; entry != end; ++entry) listed.push_back(entry->place.coordinate);
      EXPECT_EQ(listed, owners);
    }
    for (Index c = 0; c < kind.grid(); ++c) {
      EXPECT_EQ(kind.list(c), lists[static_cast<std::size_t>(c)]);
      EXPECT_EQ(kind.count(c), static_cast<Index>(kind.list(c).size()));
    }
  }
}

TEST(UnstructuredKind, RandomListsAreSweptInOrderOfTheirIndices) {
  std::mt19937 random(99);
  for (int round = 0; round < 200; ++round) {
    std::vector<List> lists(1 + random() % 4);
    for (List& list : lists) {
      std::set<Index> some;
      for (std::size_t i = random() % 8; i > 0; --i)
        some.insert(static_cast<Index>(random() % 20) * (1 + round % 7) - 9);
      list.assign(some.begin(), some.end());
      std::shuffle(list.begin(), list.end(), random);
    }
    ASSERT_NO_FATAL_FAILURE(
        oracle::expect_axis(tridap::Axis(UnstructuredKind(lists, false)), oracle::unstructured(lists)));
  }
}

}  // namespace
