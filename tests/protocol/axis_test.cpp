#include "support/oracle.hpp"
#include <tridap/axis.hpp>
#include <tridap/check.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace {

using oracle::Counts;
using oracle::List;
using tridap::Dimension;
using tridap::Index;
using tridap::Part;
using tridap::Rule;

constexpr Index lowest = std::numeric_limits<Index>::min(), highest = std::numeric_limits<Index>::max();

template <class Indices, class Value>
List mapped(const Indices& indices, Value value) {
  List all;
  for (Index i : indices) all.push_back(value(i));
  return all;
}

/// Sweeps over all owners from every index on, up to every sixth.
void expect_places(const tridap::Axis& axis, const oracle::Axis& truth, Index low, Index high) {
  std::vector<std::pair<Index, tridap::Location>> all;  // the lowest owner of each index
  for (Index g = low; g <= high; ++g)
    if (const List owners = truth.owners(g); !owners.empty())
      all.push_back({g, {owners.front(), *truth.find(owners.front(), g, Part::owned)}});
  for (const auto& [global, place] : all) ASSERT_EQ(axis.locate(global), place) << global;
  for (Index first = low; first <= high; ++first)
    for (Index end = high + 1; end >= first - 1; end -= 6) {
      std::vector<std::pair<Index, tridap::Location>> expected, swept;
      for (const auto& entry : all)
        if (first <= entry.first && entry.first < end) expected.push_back(entry);
      axis.for_each_location(first, end, [&](Index g, const tridap::Location& place) { swept.emplace_back(g, place); });
      ASSERT_TRUE(swept == expected) << first << " to " << end;
    }
}

/// Everything that an axis can be asked, held against the tables of the oracle.
void expect_tables(const tridap::Axis& axis, const oracle::Axis& truth) {
  ASSERT_EQ(axis.size(), truth.size());
  ASSERT_EQ(axis.proc_grid_size(), truth.grid());
  ASSERT_EQ(axis.periodic(), truth.dims[0].periodic);
  ASSERT_EQ(axis.dist_type(), truth.dims[0].dist_type());
  Index low = 0, high = truth.size() - 1;
  std::optional<std::array<Index, 2>> extremes;
  for (const List& held : truth.held)
    for (Index g : held) {
      low = std::min(low, g), high = std::max(high, g);
      extremes = extremes ? std::array{std::min(g, (*extremes)[0]), std::max(g, (*extremes)[1])} : std::array{g, g};
    }
  ASSERT_EQ(axis.extremes(), extremes);
  bool shares = false, padded = false;
  for (Index g = low - 2; g <= high + 2; ++g) {
    const List owners = truth.owners(g);
    ASSERT_EQ(axis.owners(g), owners) << g;
    ASSERT_EQ(axis.owner(g), owners.empty() ? std::nullopt : std::optional(owners.front())) << g;
    shares |= owners.size() > 1;
  }
  for (Index c = 0; c < truth.grid(); ++c) {
    const List& held = truth.held_by(c);
    ASSERT_EQ(axis.count(c), truth.part(c, Part::owned).size());
    padded |= axis.count(c) < static_cast<Index>(held.size());
    for (Index l = 0; l < static_cast<Index>(held.size()); ++l)
      ASSERT_EQ(axis.global_index(c, l), held[static_cast<std::size_t>(l)]) << c << ' ' << l;
    for (Part part : oracle::parts) {
      const tridap::Range range = truth.part(c, part);
      ASSERT_EQ(axis.part(c, part).size(), range.size());
      if (range.size() > 0) {
        ASSERT_EQ(axis.part(c, part), range);
      }
      for (Index g = low - 2; g <= high + 2; ++g)
        ASSERT_EQ(axis.local_index(c, g, part), truth.find(c, g, part)) << c << ' ' << g;
      std::vector<tridap::Run> runs;
      for (const tridap::Run& run : axis.runs(c, part)) runs.push_back(run);
      ASSERT_EQ(runs, oracle::runs(held, range)) << c;
      Index next = range.begin;
      axis.for_each(c, part, [&](Index l, Index g) {
        ASSERT_EQ(l, next++);
        ASSERT_EQ(g, held[static_cast<std::size_t>(l)]);
      });
      if (range.size() > 0) {
        ASSERT_EQ(next, range.end);
      }
      if (range.size() > 0) {
        const tridap::Range later{range.begin + (range.size() - 1) / 2, range.end};
        ASSERT_EQ(axis.run_from(c, later.begin, later.end), oracle::runs(held, later).front());
      }
    }
  }
  ASSERT_NO_FATAL_FAILURE(expect_places(axis, truth, low - 2, high + 2));
  ASSERT_EQ(axis.shares_indices(), shares);
  ASSERT_EQ(axis.has_communication_padding(), padded);
}

/// The axis is accepted without a word, answers as the oracle does, and so does what it stamps itself.
void expect_axis(const oracle::Axis& truth) {
  tridap::Report report;
  const auto axis = tridap::Axis::make(truth.dims, 0, report);
  ASSERT_TRUE(axis) << report.text();
  ASSERT_EQ(report.text(), "");
  ASSERT_NO_FATAL_FAILURE(expect_tables(*axis, truth));
  std::vector<Dimension> stamped;
  for (Index c = 0; c < truth.grid(); ++c) {
    stamped.push_back(axis->dimension(c));
    ASSERT_EQ(stamped.back().proc_grid_rank, c);
    ASSERT_EQ(tridap::check_dimension(stamped.back(), 0, report), static_cast<Index>(truth.held_by(c).size()));
  }
  const auto again = tridap::Axis::make(stamped, 0, report);
  ASSERT_TRUE(again && report.text().empty()) << report.text();
  ASSERT_NO_FATAL_FAILURE(expect_tables(*again, truth));
}

/// Refused for exactly this rule, so many times, in these words, with the axis and its coordinate named.
void expect_refused(const std::vector<Dimension>& dims, Rule rule, std::optional<Index> coordinate,
                    const std::string& words, Index times = 1) {
  tridap::Report report;
  EXPECT_FALSE(tridap::Axis::make(dims, 5, report));
  EXPECT_EQ(report.counts(), (Counts{{rule, times}})) << report.text();
  EXPECT_NE(report.text().find(words), std::string::npos) << report.text();
  ASSERT_FALSE(report.findings().empty());
  EXPECT_EQ(report.findings().front().process, coordinate) << report.text();
  for (const tridap::Finding& finding : report.findings()) EXPECT_EQ(finding.axis, 5);
  EXPECT_THROW(tridap::Axis{dims}, tridap::Error);
}

std::vector<Dimension> blocks(Index size, const std::vector<std::array<Index, 2>>& ranges,
                              const std::vector<std::array<Index, 2>>& padding = {}, bool periodic = false) {
  std::vector<Dimension> dims;
  for (std::size_t c = 0; c < ranges.size(); ++c) {
    dims.push_back(oracle::dimension(size, static_cast<Index>(ranges.size()), static_cast<Index>(c)));
    dims.back().periodic = periodic;
    tridap::Block block{ranges[c][0], ranges[c][1], {}};
    if (!padding.empty()) block.padding = padding[c];
    dims.back().dist = block;
  }
  return dims;
}

std::vector<Dimension> deals(Index size, Index block_size, const List& starts) {
  std::vector<Dimension> dims;
  for (std::size_t c = 0; c < starts.size(); ++c) {
    dims.push_back(oracle::dimension(size, static_cast<Index>(starts.size()), static_cast<Index>(c)));
    dims.back().dist = tridap::Cyclic{starts[c], block_size};
  }
  return dims;
}

TEST(Axis, BlockHoldsExactlyItsShareForEverySplit) {
  for (Index size = 0; size <= 12; ++size)
    for (Index grid = 1; grid <= (size <= 8 ? 5 : 3); ++grid)
      for (const List& counts : oracle::splits(size, grid)) ASSERT_NO_FATAL_FAILURE(expect_axis(oracle::block(counts)));
}

TEST(Axis, EmptyBlockMayStartInItsPlaceOrAtSize) {
  for (Index size = 0; size <= 5; ++size)
    for (Index grid = 1; grid <= 4; ++grid)
      for (const List& counts : oracle::splits(size, grid))
        for (Index moved = 0; moved < (1 << grid); ++moved) {  // which empty shares are written at `size`
          const oracle::Axis truth = oracle::block(counts);
          std::vector<Dimension> dims = truth.dims;
          for (Index c = 0; c < grid; ++c)
            if (counts[static_cast<std::size_t>(c)] == 0 && (moved >> c & 1))
              dims[static_cast<std::size_t>(c)].dist = tridap::Block{size, size, {}};
          ASSERT_NO_FATAL_FAILURE(expect_tables(tridap::Axis(dims), truth));
        }
}

TEST(Axis, PaddingIsHeldButOwnedByTheNeighbourAndEdgesAreOwned) {
  for (Index grid = 1; grid <= 3; ++grid)
    for (Index size = 0; size <= 6; ++size)
      for (const List& counts : oracle::splits(size, grid))
        oracle::for_each_index(List(static_cast<std::size_t>(grid) - 1, 3), [&](const List& shared) {
          for (std::size_t i = 0; i < shared.size(); ++i)
            if (shared[i] > std::min(counts[i], counts[i + 1])) return;
          for (Index left = 0; left <= counts.front(); ++left)
            for (Index right = 0; right <= counts.back() - (grid == 1 ? left : 0); ++right)
              for (bool periodic : {false, true}) {
                if (periodic && std::max(left, right) > size - left - right) continue;
                ASSERT_NO_FATAL_FAILURE(expect_axis(oracle::block(counts, shared, {left, right}, periodic)));
              }
        });
}

TEST(Axis, SaysItsKindItsEdgesAndItsMirrors) {
  using Widths = std::array<Index, 2>;
  const tridap::BlockKind plain(6, 3, 2), padded = plain.padded({{1, 0}, {0, 0}, {0, 2}}, false);
  const tridap::Axis block(plain), edged(padded), periodic(plain.padded({{1, 0}, {0, 0}, {0, 2}}, true), true),
      cyclic(tridap::CyclicKind(6, 3, 1, 0)), lists(tridap::UnstructuredKind({{0}, {1}}, true));
  EXPECT_TRUE(block.block() != nullptr && block.cyclic() == nullptr && block.unstructured() == nullptr);
  EXPECT_TRUE(cyclic.block() == nullptr && cyclic.cyclic() != nullptr && cyclic.unstructured() == nullptr);
  EXPECT_TRUE(lists.block() == nullptr && lists.cyclic() == nullptr && lists.unstructured() != nullptr);
  for (const tridap::Axis* none : {&block, &cyclic, &lists})
    EXPECT_TRUE(none->edges() == Widths{} && none->mirrors() == Widths{} && !none->has_edges());
  EXPECT_TRUE(edged.edges() == (Widths{1, 2}) && edged.has_edges() && edged.mirrors() == Widths{});
  EXPECT_TRUE(periodic.edges() == (Widths{1, 2}) && periodic.mirrors() == (Widths{1, 2}));
}

TEST(Axis, CyclicHoldsExactlyWhatDealingGives) {
  for (Index size = 0; size <= 12; ++size)
    for (Index grid = 1; grid <= 5; ++grid)
      for (Index block_size = 1; block_size <= 4; ++block_size)
        for (Index first = 0; first < grid; ++first)
          ASSERT_NO_FATAL_FAILURE(expect_axis(oracle::cyclic(size, block_size, grid, first)));
}

TEST(Axis, UnstructuredHoldsItsLists) {
  for (bool one_to_one : {false, true}) {
    expect_axis(oracle::unstructured({{}}, one_to_one));
    expect_axis(oracle::unstructured({{}, {}}, one_to_one));
    expect_axis(oracle::unstructured({{3, 1, 2}, {}, {0}}, one_to_one));            // unordered, with an empty list
    expect_axis(oracle::unstructured({{-5, -4, 100}, {7, 6, -6}}, one_to_one));     // negative, beyond size
    expect_axis(oracle::unstructured({{0, 1, 2}, {3, 4}, {9, 5, 6}}, one_to_one));  // runs
  }
  expect_axis(oracle::unstructured({{0, 1}, {1, 2}, {2, 0}}));  // shared
  expect_axis(oracle::unstructured({{4}, {4}, {4}, {}, {4}}));
}

TEST(Axis, UnstructuredHoldsRandomLists) {
  std::mt19937 random(20240);
  for (int round = 0; round < 300; ++round) {
    std::vector<List> lists(1 + random() % 5);
    for (List& list : lists) {
      List all;
      for (Index g = -8; g < 8; ++g) all.push_back(g * (1 + round % 3));
      std::shuffle(all.begin(), all.end(), random);
      list.assign(all.begin(), all.begin() + static_cast<Index>(random() % 9));
      if (round % 2 == 0) std::sort(list.begin(), list.end());
    }
    ASSERT_NO_FATAL_FAILURE(expect_axis(oracle::unstructured(lists)));
  }
}

// Tables 1 to 4 of the Parallel ESSL text: 23 elements over 3 processes.
TEST(Axis, ParallelEsslTablesHold) {
  List m(23);
  for (std::size_t i = 0; i < m.size(); ++i) m[i] = static_cast<Index>(i);
  const auto expect = [&](const tridap::Axis& axis, const List& p, const List& i) {
    EXPECT_EQ(mapped(m, [&](Index g) { return axis.owner(g).value(); }), p);
    EXPECT_EQ(mapped(m, [&](Index g) { return axis.local_index(*axis.owner(g), g).value(); }), i);
  };
  expect(tridap::Axis(blocks(23, {{0, 8}, {8, 16}, {16, 23}})),
         {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2},
         {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6});
  expect(tridap::Axis(deals(23, 1, {0, 1, 2})), {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1},
         {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7});
  const tridap::Axis dealt(deals(23, 2, {0, 2, 4}));  // i = 2 * b + (place in the block)
  expect(dealt, {0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2},
         {0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 4, 5, 4, 5, 4, 5, 6, 7, 6, 7, 6});
  const std::vector<List> inverse = {
      {0, 1, 6, 7, 12, 13, 18, 19}, {2, 3, 8, 9, 14, 15, 20, 21}, {4, 5, 10, 11, 16, 17, 22}};
  for (Index c = 0; c < 3; ++c) {
    const List& row = inverse[static_cast<std::size_t>(c)];
    ASSERT_EQ(dealt.count(c), static_cast<Index>(row.size()));
    for (Index l = 0; l < dealt.count(c); ++l) EXPECT_EQ(dealt.global_index(c, l), row[static_cast<std::size_t>(l)]);
  }
}

TEST(Axis, PartialBlockBelongsToTheCoordinateDealtToLast) {
  const tridap::Axis axis(deals(3, 2, {0, 2}));
  EXPECT_EQ(axis.count(0), 2);
  EXPECT_EQ(axis.count(1), 1);
  const tridap::Axis rotated(deals(3, 2, {2, 0}));
  EXPECT_EQ(rotated.count(0), 1);
  EXPECT_EQ(rotated.count(1), 2);
}

TEST(Axis, HugeSizesNeitherWrapNorAllocate) {
  const Index big = Index{1} << 62;
  const tridap::Axis one(deals(big, big, {0, big}));
  EXPECT_EQ(one.count(0), big);
  EXPECT_EQ(one.count(1), 0);
  EXPECT_EQ(one.local_index(0, big - 1), big - 1);
  EXPECT_FALSE(one.owner(big));

  const tridap::Axis two(deals(highest, big, {highest, 0, big}));  // 2 * 2^62 does not fit: `size` stands for it
  EXPECT_EQ(two.count(0), 0);
  EXPECT_EQ(two.count(1), big);
  EXPECT_EQ(two.count(2), big - 1);
  EXPECT_EQ(two.global_index(2, big - 2), highest - 1);
  EXPECT_EQ(two.owner(highest - 1), 2);
  EXPECT_EQ(std::get<tridap::Cyclic>(two.dimension(0).dist).start, highest);
  EXPECT_EQ(two.extremes(), (std::array<Index, 2>{0, highest - 1}));

  const tridap::Axis cards(deals(highest, 1, {0, 1}));
  EXPECT_EQ(cards.count(0), big);
  EXPECT_EQ(cards.count(1), big - 1);
  EXPECT_EQ(cards.local_index(0, highest - 1), big - 1);
  EXPECT_EQ(cards.global_index(1, big - 2), highest - 2);
  EXPECT_EQ(*cards.runs(0).begin(), (tridap::Run{0, 0, 1}));

  const tridap::Axis all(blocks(highest, {{0, big + 1}, {big - 1, highest}}, {{1, 1}, {1, 0}}, true));
  EXPECT_EQ(all.count(1), highest - big);
  EXPECT_EQ(all.part(0, Part::interior).size(), big - 1);
  EXPECT_EQ(all.runs(1, Part::local).begin()->length, highest - big + 1);
  for (const tridap::Axis& axis : {one, two, cards, all})
    for (Index outside : {lowest, Index{-1}, highest}) {
      EXPECT_FALSE(axis.owner(outside));
      EXPECT_TRUE(axis.owners(outside).empty());
      for (Part part : oracle::parts) EXPECT_FALSE(axis.local_index(0, outside, part));
    }
}

TEST(Axis, UnstructuredReachesBothEndsOf64Bits) {
  const tridap::Axis axis(oracle::unstructured({{highest, lowest, lowest + 1}, {highest - 1}}).dims);
  std::vector<tridap::Run> runs;
  for (const tridap::Run& run : axis.runs(0)) runs.push_back(run);
  EXPECT_EQ(runs, (std::vector<tridap::Run>{{highest, 0, 1}, {lowest, 1, 2}}));
  EXPECT_EQ(axis.extremes(), (std::array<Index, 2>{lowest, highest}));
  EXPECT_EQ(axis.local_index(0, highest), 0);
  EXPECT_EQ(axis.owner(highest - 1), 1);
}

TEST(Axis, KeepsItsIndicesWhateverHappensToTheirBuffer) {
  List memory = {4, 2};
  Dimension d = oracle::dimension(2, 1, 0);
  d.dist = tridap::Unstructured{tridap::row_major(memory.data(), {2}), true};
  const tridap::Axis axis({d});
  memory = {0, 0};
  EXPECT_EQ(axis.global_index(0, 0), 4);
  EXPECT_EQ(tridap::read_indices(std::get<tridap::Unstructured>(axis.dimension(0).dist).indices), (List{4, 2}));
  EXPECT_TRUE(std::get<tridap::Unstructured>(axis.dimension(0).dist).one_to_one);
}

TEST(Axis, BlockIsAcceptedExactlyWhereTheRulesHold) {
  for (Index size = 0; size <= 4; ++size)
    oracle::for_each_index({size + 1, size + 1, size + 1, size + 1, 3, 3, 3, 3, 2}, [&](const List& v) {
      if (v[0] > v[1] || v[2] > v[3]) return;
      const Index left = v[4], right = v[5], next_left = v[6], next_right = v[7];
      const Index end = v[1] - right, next = v[2] + next_left;  // 0 owns [v[0], end), 1 owns [next, v[3])
      const Index owned = end - v[0], next_owned = v[3] - next, period = size - left - next_right;
      const bool fits = left + right <= v[1] - v[0] && next_left + next_right <= v[3] - v[2];
      const bool tiles = (owned > 0 && next_owned > 0 && v[0] == 0 && end == next && v[3] == size) ||
                         (owned > 0 && next_owned == 0 && v[0] == 0 && end == size && next == size) ||
                         (owned == 0 && next_owned > 0 && (v[0] == 0 || v[0] == size) && next == 0 && v[3] == size) ||
                         (owned == 0 && next_owned == 0 && size == 0);
      const bool pads = right == next_left && right <= owned && right <= next_owned;
      const bool turns = v[8] == 0 || (left <= period && next_right <= period);
      tridap::Report report;
      const auto dims = blocks(size, {{v[0], v[1]}, {v[2], v[3]}}, {{left, right}, {next_left, next_right}}, v[8] == 1);
      ASSERT_EQ(tridap::Axis::make(dims, 0, report).has_value(), fits && tiles && pads && turns)
          << size << ' ' << ::testing::PrintToString(v) << report.text();
      ASSERT_EQ(report.ok(), fits && tiles && pads && turns);
    });
}

TEST(Axis, CyclicIsAcceptedExactlyWhereOneDealingExplainsIt) {
  for (Index size = 0; size <= 5; ++size)
    for (Index block_size = 1; block_size <= 3; ++block_size)
      oracle::for_each_index({size + 3, size + 3, size + 3}, [&](const List& starts) {
        bool explained = false;
        for (Index first = 0; first < 3; ++first) {
          const oracle::Axis dealt = oracle::cyclic(size, block_size, 3, first);
          bool all = true;
          for (std::size_t c = 0; c < 3; ++c)
            all &= dealt.held[c].empty() ? starts[c] >= size : starts[c] == dealt.held[c].front();
          if (!all) continue;
          explained = true;
          expect_tables(tridap::Axis(deals(size, block_size, starts)), dealt);
        }
        tridap::Report report;
        ASSERT_EQ(tridap::Axis::make(deals(size, block_size, starts), 0, report).has_value(), explained)
            << size << ' ' << block_size << ::testing::PrintToString(starts);
      });
}

TEST(Axis, RefusesWhatDoesNotTile) {
  const auto expect = [](const std::vector<std::array<Index, 2>>& ranges, Index coordinate, const std::string& words,
                         Index times = 1) {
    expect_refused(blocks(10, ranges), Rule::block_tiling, coordinate, words, times);
  };
  expect({{0, 4}, {5, 10}}, 0, "'stop' is 4, but 'start' is 5 on rank 1");  // a gap
  expect({{0, 4}, {3, 10}}, 0, "'stop' is 4, but 'start' is 3 on rank 1");  // an overlap
  expect({{1, 4}, {4, 10}}, 0, "'start' is 1, must be 0");                  // the first element is on no process
  expect({{0, 4}, {4, 9}}, 1, "'stop' is 9, must be size 10");              // nor is the last
  expect({{0, 4}, {7, 7}, {4, 10}}, 1, "'start' is 7, but 'stop' is 4 on rank 0", 1);
}

TEST(Axis, RefusesPaddingThatDoesNotFit) {
  expect_refused(blocks(8, {{0, 5}, {4, 8}}, {{0, 1}, {0, 0}}), Rule::block_padding_neighbour, 0,
                 "'padding' is 1 at the upper end, but 0 at the lower end on rank 1 and both must be equal");
  expect_refused(blocks(8, {{0, 6}, {2, 5}, {5, 8}}, {{0, 2}, {2, 0}, {0, 0}}), Rule::block_padding_owned, 0,
                 "own 4 and 1");
  expect_refused(blocks(8, {{0, 3}, {3, 6}, {2, 8}}, {{0, 0}, {0, 2}, {2, 0}}), Rule::block_padding_owned, 1,
                 "own 1 and 4");
  expect_refused(blocks(5, {{0, 5}}, {{3, 2}}, true), Rule::block_periodic, {}, "(3, 2) at the edges");
}

TEST(Axis, RefusesStartsThatNoDealingExplains) {
  expect_refused(deals(10, 2, {0, 2, 2}), Rule::cyclic_start, 2, "'start' is 2 at coordinate 2");
  expect_refused(deals(3, 2, {0, 2, 2}), Rule::cyclic_start, 2, "at coordinate 2, must be at least size 3");
  expect_refused(deals(3, 1, {5, 5}), Rule::cyclic_start, 0, "'start' is 5 at coordinate 0", 2);
}

TEST(Axis, RefusesListsThatDoNotAddUp) {
  auto dims = oracle::unstructured({{0, 1}, {2, 3}}).dims;
  for (Dimension& d : dims) d.size = 5;
  expect_refused(dims, Rule::unstructured_size, {}, "'size' is 5");
  expect_refused(oracle::unstructured({{0, 1}, {7, 1}}, true).dims, Rule::unstructured_one_to_one, 1,
                 "1 at coordinates 0 and 1");
  dims = oracle::unstructured({{0, 1}, {1, 2}, {1, 0}}).dims;
  for (Dimension& d : dims) d.size = 4;
  expect_refused(dims, Rule::unstructured_size, {}, "6 indices, 3 of them distinct");
}

TEST(Axis, WarnsWhereSizeCountsSharedIndicesOnce) {
  oracle::Axis truth = oracle::unstructured({{0, 1}, {1, 2}, {1, 0}});
  for (Dimension& d : truth.dims) d.size = 3;
  tridap::Report report;
  const auto axis = tridap::Axis::make(truth.dims, 0, report);
  EXPECT_EQ(report.counts(), (Counts{{Rule::unstructured_distinct, 1}}));
  ASSERT_TRUE(axis);
  expect_tables(*axis, truth);
}

TEST(Axis, RefusesDisagreementInAnyKey) {
  auto dims = deals(4, 2, {2, 0});
  const auto expect = [&](Rule rule, Index size, Index block_size, const std::string& words) {
    auto changed = dims;
    changed[1].size = size;
    std::get<tridap::Cyclic>(changed[1].dist).block_size = block_size;
    expect_refused(changed, rule, 1, words);
  };
  expect(Rule::agree_size, 5, 2, "'size' is 5 at coordinate 1, but at coordinate 0 it is 4");
  expect(Rule::agree_block_size, 4, 1, "'block_size' is 1 at coordinate 1, but at coordinate 0 it is 2");
  dims[1].dist = tridap::Block{2, 4, {}};
  expect_refused(dims, Rule::agree_dist_type, 1, "'dist_type' is 'b' at coordinate 1, but at coordinate 0 it is 'c'");
  auto ranges = blocks(4, {{0, 2}, {2, 4}});
  ranges[1].periodic = true;
  expect_refused(ranges, Rule::agree_periodic, 1,
                 "'periodic' is true at coordinate 1, but at coordinate 0 it is false");
  auto lists = oracle::unstructured({{0}, {1}}).dims;
  std::get<tridap::Unstructured>(lists[1].dist).one_to_one = true;
  expect_refused(lists, Rule::agree_one_to_one, 1,
                 "'one_to_one' is true at coordinate 1, but at coordinate 0 it is false");
}

TEST(Axis, RefusesCoordinatesOutOfPlace) {
  auto dims = blocks(4, {{0, 2}, {2, 4}});
  std::swap(dims[0].proc_grid_rank, dims[1].proc_grid_rank);
  expect_refused(dims, Rule::grid_rank, 0, "'proc_grid_rank' is 1, must be the coordinate 0", 2);
  expect_refused({blocks(4, {{0, 2}, {2, 4}})[0]}, Rule::grid_size, 0, "'proc_grid_size' is 2");
  expect_refused({}, Rule::grid_size, {}, "must be at least 1");
}

TEST(Axis, NamesTheCoordinateOfAFaultThatOneDictionaryHasAlone) {
  expect_refused(blocks(4, {{0, 2}, {2, 4}, {4, 5}}), Rule::block_bounds, 2, "'stop' is 5, must be at most size 4");
}

}  // namespace

TEST(Axis, RunsAreARangeOfTheStandardLibrary) {
  const tridap::Axis axis(oracle::cyclic(10, 2, 3).dims);
  auto third = axis.runs(0).begin();  // outlives the range it came from
  ++third;
  EXPECT_EQ(third->global, 6);
  const auto runs = axis.runs(0);
  EXPECT_EQ((std::vector<tridap::Run>(runs.begin(), runs.end())), (std::vector<tridap::Run>{{0, 0, 2}, {6, 2, 2}}));
}
