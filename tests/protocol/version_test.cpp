#include "support/expect_axis.hpp"
#include <tridap/axis.hpp>
#include <tridap/make.hpp>
#include <tridap/version.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

namespace {

using oracle::Counts;
using oracle::List;
using tridap::Dimension;
using tridap::Index;
using tridap::Part;
using tridap::Rule;
using tridap::Version;
using Widths = std::array<Index, 2>;

constexpr Index highest = std::numeric_limits<Index>::max(), huge = Index{1} << 62;

/// A padded block axis: how many each coordinate owns as its version counts, the widths at the inner borders, and those
/// at the two ends.
struct Padded {
  List counts, shared;
  Widths edges = {0, 0};
  bool periodic = false;

  Index grid() const { return static_cast<Index>(counts.size()); }
  Index size() const { return std::accumulate(counts.begin(), counts.end(), Index{0}); }
  Index count(Index c) const { return counts[static_cast<std::size_t>(c)]; }
  Index first(Index c) const { return std::accumulate(counts.begin(), counts.begin() + c, Index{0}); }
  Index left(Index c) const { return c == 0 ? edges[0] : shared[static_cast<std::size_t>(c - 1)]; }
  Index right(Index c) const { return c + 1 == grid() ? edges[1] : shared[static_cast<std::size_t>(c)]; }

  /// 0.9 takes it: every communication width is at most what the neighbour owns, the last one's neighbour being the
  /// first where the axis is periodic; what is no communication padding stands inside the share.
  bool legal_in_0_9() const {
    for (Index c = 0; c + 1 < grid(); ++c)
      if (right(c) > std::min(count(c), count(c + 1))) return false;
    if (periodic) return edges[0] == edges[1] && edges[0] <= std::min(count(0), count(grid() - 1));
    return edges[0] <= count(0) && edges[1] <= count(grid() - 1) && (grid() > 1 || edges[0] + edges[1] <= size());
  }

  /// As 0.9 stamps it: [start, stop) is what is owned, and a periodic axis's ends do not count.
  std::vector<Dimension> in_0_9() const {
    std::vector<Dimension> dims;
    for (Index c = 0; c < grid(); ++c) {
      dims.push_back(oracle::dimension(size(), grid(), c));
      dims.back().periodic = periodic;
      dims.back().dist = tridap::Block{first(c), first(c) + count(c), Widths{left(c), right(c)}};
    }
    return dims;
  }

  /// The rules "0.9 to 0.10" of PROTOCOL, Versions, to the letter.
  std::vector<Dimension> from_0_9_in_0_10() const {
    std::vector<Dimension> dims = in_0_9();
    for (Index c = 0; c < grid(); ++c) {
      Dimension& d = dims[static_cast<std::size_t>(c)];
      auto& block = std::get<tridap::Block>(d.dist);
      if (periodic) {
        d.size += edges[0] + edges[1];
        block.start += edges[0] - left(c);
        block.stop += edges[0] + right(c);
      } else {
        block.start -= c > 0 ? left(c) : 0;
        block.stop += c < grid() - 1 ? right(c) : 0;
      }
    }
    return dims;
  }

  /// What coordinate c's buffer holds in 0.9, numbered as 0.9 does: a periodic axis goes round.
  List held_in_0_9(Index c) const {
    const bool wraps = periodic;
    const Index before = c > 0 || wraps ? left(c) : 0, after = c + 1 < grid() || wraps ? right(c) : 0;
    List held;
    for (Index g = first(c) - before; g < first(c) + count(c) + after; ++g)
      held.push_back(wraps ? (g + 2 * size()) % size() : g);
    return held;
  }
};

/// What a stamped axis says, for comparison.
std::string words(const std::vector<Dimension>& dims) {
  std::string all;
  for (const Dimension& d : dims) {
    const auto& block = std::get<tridap::Block>(d.dist);
    const auto number = [&](Index value) { all += std::to_string(value) + ' '; };
    for (const Index value : {d.size, d.proc_grid_size, d.proc_grid_rank, block.start, block.stop}) number(value);
    if (block.padding) number((*block.padding)[0]), number((*block.padding)[1]);
    all += d.periodic ? "periodic\n" : "\n";
  }
  return all;
}

std::vector<Dimension> stamped(const tridap::Axis& axis, Version version) {
  std::vector<Dimension> dims;
  for (Index c = 0; c < axis.proc_grid_size(); ++c) dims.push_back(axis.dimension(c, version, 4));
  return dims;
}

/// 0.9 cannot say the axis, and the message tells what can.
void expect_unsayable(const tridap::Axis& axis, Index c) {
  try {
    axis.dimension(c, Version::v0_9, 4);
    FAIL() << "said in 0.9: " << words(stamped(axis, Version::v0_10));
  } catch (const tridap::Error& error) {
    ASSERT_EQ(error.report().counts(), (Counts{{Rule::conversion, 1}}));
    ASSERT_EQ(error.report().findings().front().axis, 4);
    ASSERT_NE(std::string(error.what()).find("write it as 0.10.0"), std::string::npos);
  }
}

/// Every split of up to `sizes` elements over up to 3 coordinates, with widths of up to `widest` everywhere.
void for_each_padded(Index sizes, Index widest, const std::function<void(const Padded&)>& visit) {
  for (Index grid = 1; grid <= 3; ++grid)
    for (Index size = 0; size <= sizes; ++size)
      for (const List& counts : oracle::splits(size, grid))
        oracle::for_each_index(List(static_cast<std::size_t>(grid) - 1, widest + 1), [&](const List& shared) {
          for (Index left = 0; left <= widest; ++left)
            for (Index right = 0; right <= widest; ++right)
              for (const bool periodic : {false, true})
                if (!::testing::Test::HasFatalFailure()) visit({counts, shared, {left, right}, periodic});
        });
}

TEST(Version, EveryLegalAxisOf09Is010ByTheRulesAndComesBack) {
  Index legal = 0;
  for_each_padded(6, 2, [&](const Padded& said) {
    tridap::Report report;
    const auto axis = tridap::Axis::make(said.in_0_9(), 0, report, Version::v0_9);
    ASSERT_EQ(axis.has_value(), said.legal_in_0_9()) << words(said.in_0_9()) << report.text();
    if (!axis) return;
    ++legal;
    ASSERT_EQ(report.text(), "");
    ASSERT_EQ(words(stamped(*axis, Version::v0_10)), words(said.from_0_9_in_0_10()));
    ASSERT_EQ(words(stamped(*axis, Version::v0_9)), words(said.in_0_9()));
    const tridap::Axis again(said.from_0_9_in_0_10());
    ASSERT_EQ(words(stamped(again, Version::v0_9)), words(said.in_0_9()));
  });
  EXPECT_GT(legal, 1000);
}

TEST(Version, EveryElementOf09StaysWhereItIs) {
  for_each_padded(6, 2, [&](const Padded& said) {
    if (!said.legal_in_0_9()) return;
    const tridap::Axis axis(said.in_0_9(), 0, Version::v0_9);
    const Index shift = said.periodic ? said.edges[0] : 0;  // what 0.10 counts before 0.9's element 0
    for (Index c = 0; c < said.grid(); ++c) {
      const List held = said.held_in_0_9(c);
      ASSERT_EQ(axis.part(c, Part::local).size(), static_cast<Index>(held.size()));
      List found;
      axis.for_each(c, Part::local, [&](Index, Index g) { found.push_back(axis.mirrored(g).value_or(g) - shift); });
      ASSERT_EQ(found, held) << words(said.in_0_9()) << "coordinate " << c;
      List interior;
      axis.for_each(c, Part::interior, [&](Index, Index g) { interior.push_back(g - shift); });
      List own;
      for (Index g = said.first(c); g < said.first(c) + said.count(c); ++g) own.push_back(g);
      ASSERT_EQ(interior, own);
      for (const Index g : own) ASSERT_EQ(axis.owner(g + shift), c);
    }
    List counts = said.counts;
    if (said.periodic) counts.front() += said.edges[0], counts.back() += said.edges[1];
    const oracle::Axis truth = oracle::block(counts, said.shared, said.edges, said.periodic);
    ASSERT_NO_FATAL_FAILURE(oracle::expect_axis(axis, truth));
  });
}

TEST(Version, AnAxisOf010Is09ExactlyWhereSome09Becomes010) {
  std::set<std::string> reachable;  // all that 0.9 can say, in 0.10's words
  for_each_padded(8, 2, [&](const Padded& said) {
    if (said.legal_in_0_9()) reachable.insert(words(said.from_0_9_in_0_10()));
  });
  Index said = 0, unsaid = 0;
  for_each_padded(8, 2, [&](const Padded& axis) {
    if (axis.size() > 7 && axis.grid() == 3) return;  // long, and nothing new
    std::vector<Dimension> dims;
    for (Index c = 0; c < axis.grid(); ++c) {
      dims.push_back(oracle::dimension(axis.size(), axis.grid(), c));
      dims.back().periodic = axis.periodic;
      const Index before = c > 0 ? axis.left(c) : 0, after = c + 1 < axis.grid() ? axis.right(c) : 0;
      dims.back().dist = tridap::Block{axis.first(c) - before, axis.first(c) + axis.count(c) + after,
                                       Widths{axis.left(c), axis.right(c)}};
    }
    tridap::Report report;
    const auto made = tridap::Axis::make(dims, 0, report);
    if (!made) return;
    ASSERT_EQ(words(stamped(*made, Version::v0_10)), words(dims));
    if (reachable.count(words(dims)) == 1) {
      ++said;
      const std::vector<Dimension> older = stamped(*made, Version::v0_9);
      ASSERT_EQ(words(stamped(tridap::Axis(older, 0, Version::v0_9), Version::v0_10)), words(dims));
      return;
    }
    ++unsaid;
    ASSERT_TRUE(axis.periodic) << words(dims);
    for (Index c = 0; c < axis.grid(); ++c) ASSERT_NO_FATAL_FAILURE(expect_unsayable(*made, c));
  });
  EXPECT_GT(said, 1000);
  EXPECT_GT(unsaid, 1000);
}

TEST(Version, WhatHasNoPaddingIsTheSameInBoth) {
  tridap::BlockSpec turning = tridap::block();
  turning.periodic = true;
  const std::vector<tridap::AxisSpec> specs = {tridap::block(), tridap::block_at({0, 0, 4}), turning,
                                               tridap::cyclic(2, 1), tridap::unstructured({{4, -1}, {}, {7, 8, 0}})};
  for (const tridap::AxisSpec& spec : specs) {
    tridap::Report report;
    const auto axis = tridap::make_axis(5, spec, 3, 0, report);
    ASSERT_TRUE(axis) << report.text();
    const std::vector<Dimension> older = stamped(*axis, Version::v0_9), newer = stamped(*axis, Version::v0_10);
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(older[c].size, 5);
      EXPECT_EQ(older[c].dist_type(), newer[c].dist_type());
      if (const auto* cyclic = std::get_if<tridap::Cyclic>(&older[c].dist)) {
        EXPECT_EQ(cyclic->start, std::get<tridap::Cyclic>(newer[c].dist).start);
      }
      if (const auto* list = std::get_if<tridap::Unstructured>(&older[c].dist)) {
        EXPECT_EQ(tridap::read_indices(list->indices),
                  tridap::read_indices(std::get<tridap::Unstructured>(newer[c].dist).indices));
      }
    }
    if (axis->dist_type() == 'b') {
      EXPECT_EQ(words(older), words(newer));
    }
    const tridap::Axis again(older, 0, Version::v0_9);
    for (Index g = -1; g <= 8; ++g) EXPECT_EQ(again.locate(g), axis->locate(g));
  }
}

TEST(Version, PaddingIsStampedOnAllOf09OrOnNone) {
  std::vector<Dimension> dims = Padded{{2, 2}, {1}, {0, 0}, false}.in_0_9();
  std::get<tridap::Block>(dims[1].dist).padding.reset();
  tridap::Report report;
  EXPECT_FALSE(tridap::Axis::make(dims, 0, report, Version::v0_9));
  EXPECT_EQ(report.count(Rule::block_padding_everywhere), 1);
}

TEST(Version, HugeAxesNeitherWrapNorAreLost) {
  const Padded wide = {{huge - 3, huge}, {1}, {1, 1}, true};
  const tridap::Axis axis(wide.in_0_9(), 0, Version::v0_9);
  EXPECT_EQ(axis.size(), highest);
  EXPECT_EQ(words(stamped(axis, Version::v0_9)), words(wide.in_0_9()));
  tridap::Report report;
  EXPECT_FALSE(tridap::Axis::make(Padded{{huge - 2, huge}, {1}, {1, 1}, true}.in_0_9(), 0, report, Version::v0_9));
  EXPECT_EQ(report.counts(), (Counts{{Rule::conversion, 1}}));
}

}  // namespace
