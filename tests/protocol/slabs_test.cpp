#include "support/oracle.hpp"
#include "support/padded_axes.hpp"
#include <tridap/make.hpp>
#include <tridap/slabs.hpp>

#include <gtest/gtest.h>

namespace {

using oracle::List;
using tridap::AxisSlab;
using tridap::Distribution;
using tridap::Index;
using tridap::Part;
using Elements = std::map<List, List>;  // local indices by the position in the file

/// Where each index of an axis stands in a file.
Index position(const oracle::Axis& axis, Index global) {
  if (axis.dims[0].dist_type() != 'u') return global;
  std::set<Index> all;
  for (const List& held : axis.held) all.insert(held.begin(), held.end());
  if (*all.begin() >= 0 && *all.rbegin() < axis.size()) return global;
  return static_cast<Index>(std::distance(all.begin(), all.find(global)));
}

/// The elements of a process, written out one by one. Of an owned element that several have, the first is the owner.
Elements expected(const oracle::Array& array, Index process, Part part) {
  Elements all;
  for (const auto& [local, global] : array.elements(process, part)) {
    List at;
    bool mine = true;
    for (std::size_t i = 0; i < global.size(); ++i) {
      at.push_back(position(array.axes[i], global[i]));
      mine = mine && (part == Part::local || array.axes[i].owners(global[i])[0] == array.coordinates(process)[i]);
    }
    if (mine) all[at] = local;
  }
  return all;
}

std::vector<Index> positions(const AxisSlab& slab) {
  std::vector<Index> all;
  for (Index k = 0; k < slab.count; ++k)
    for (Index b = 0; b < slab.block; ++b) all.push_back(slab.start + k * slab.stride + b);
  return all;
}

Elements selected(const tridap::Slabs& slabs) {
  Elements all;
  for (const tridap::Slab& slab : slabs) {
    List extents;
    for (const AxisSlab& axis : slab) extents.push_back(axis.size());
    oracle::for_each_index(extents, [&](const List& at) {
      List place, local;
      for (std::size_t i = 0; i < at.size(); ++i) {
        place.push_back(positions(slab[i])[static_cast<std::size_t>(at[i])]);
        local.push_back(slab[i].local.begin + at[i]);
      }
      EXPECT_EQ(all.count(place), 0u) << "an element is in two slabs";
      all[place] = local;
    });
  }
  return all;
}

void expect_regular(const tridap::Slabs& slabs) {
  for (const auto& axis : slabs.axes())
    for (std::size_t i = 0; i < axis.size(); ++i) {
      EXPECT_GE(axis[i].count, 1);
      EXPECT_GE(axis[i].block, 1);
      EXPECT_EQ(axis[i].size(), axis[i].local.size());
      EXPECT_EQ(axis[i].last(), positions(axis[i]).back());
      if (i > 0) {
        EXPECT_GT(axis[i].start, axis[i - 1].last());
      }
      if (i > 0 && axis[i - 1].count == 1 && axis[i].start == axis[i - 1].last() + 1) {
        EXPECT_NE(axis[i].local.begin, axis[i - 1].local.end) << "two slabs that are one";
      }
    }
}

void expect_slabs(const std::vector<oracle::Axis>& axes) {
  const oracle::Array array(axes);
  const Distribution distribution = array.distribution();
  for (const Part part : oracle::parts)
    for (Index p = 0; p < array.processes(); ++p) {
      const tridap::Slabs slabs = distribution.slabs(p, part);
      expect_regular(slabs);
      EXPECT_EQ(selected(slabs), expected(array, p, part));
    }
  Elements once;  // the owned slabs of all processes
  for (Index p = 0; p < array.processes(); ++p)
    for (const auto& [place, local] : selected(distribution.slabs(p))) EXPECT_TRUE(once.emplace(place, local).second);
}

std::vector<oracle::Axis> some_axes() {
  std::vector<oracle::Axis> axes{oracle::block({2, 3}),
                                 oracle::block({3, 0, 2}, {0, 0}),
                                 oracle::cyclic(7, 2, 3, 1),
                                 oracle::cyclic(5, 1, 2),
                                 oracle::unstructured({{4, 1}, {}, {0, 2, 3}}),
                                 oracle::unstructured({{7, -2, 0}, {5, 6}}),
                                 oracle::unstructured({{0, 2, 4, 1}, {1, 3}})};
  for (const oracle::Axis& padded : oracle::all_padded(2)) axes.push_back(padded);
  return axes;
}

TEST(Slabs, OfEveryBlockAxisAreItsElements) {
  for (Index grid = 1; grid <= 4; ++grid)
    for (Index size = 0; size <= 6; ++size)
      for (const List& counts : oracle::splits(size, grid)) expect_slabs({oracle::block(counts)});
}

TEST(Slabs, OfEveryPaddedAxisAreItsElements) {
  for (Index grid = 1; grid <= 5; ++grid)
    for (const oracle::Axis& axis : oracle::all_padded(grid)) expect_slabs({axis});
}

TEST(Slabs, OfEveryCyclicAxisAreItsElements) {
  for (Index grid = 1; grid <= 5; ++grid)
    for (Index size = 0; size <= 12; ++size)
      for (Index block_size = 1; block_size <= 4; ++block_size)
        for (Index first = 0; first < grid; ++first) expect_slabs({oracle::cyclic(size, block_size, grid, first)});
}

TEST(Slabs, OfListsAreTheirElements) {
  for (const auto& lists : std::vector<std::vector<List>>{{{}},
                                                          {{3, 1, 0, 2}},
                                                          {{5, 4}, {0, 1, 2, 3}},
                                                          {{-1, -5}, {100}},
                                                          {{0, 2, 4, 6}, {1, 3, 5}},
                                                          {{0, 1}, {1, 2}, {2, 0}},
                                                          {{0, 4}, {4, 5}, {0, 5}},
                                                          {{}, {9, 3, 6}, {}},
                                                          {{0, 1, 2, 5, 8, 11, 12}, {3, 4, 6, 7, 9, 10}}})
    expect_slabs({oracle::unstructured(lists)});
}

TEST(Slabs, OfTwoAxesAreTheProduct) {
  for (const oracle::Axis& rows : some_axes())
    for (const oracle::Axis& columns : some_axes()) expect_slabs({{rows, columns}});
}

TEST(Slabs, OfAnArrayWithoutAxesAreOneElement) {
  const Distribution point{std::vector<tridap::Axis>{}};
  ASSERT_EQ(point.slabs(0).size(), 1);
  EXPECT_TRUE(point.slabs(0)[0].empty());
}

TEST(Slabs, AreFewAndRegular) {
  const auto cyclic = Distribution::make({11}, {tridap::cyclic(2)}, {3});
  EXPECT_EQ(cyclic.slabs(1).axes()[0], (std::vector<AxisSlab>{{2, 6, 2, 2, {0, 4}}}));
  EXPECT_EQ(cyclic.slabs(2).axes()[0], (std::vector<AxisSlab>{{4, 2, 1, 2, {0, 2}}, {10, 1, 1, 1, {2, 3}}}));
  const auto dealt = Distribution::make({1'000'000'007}, {tridap::cyclic()}, {7});
  EXPECT_EQ(dealt.slabs(3).size(), 1);
  const auto lists = Distribution::make({7}, {tridap::unstructured({{0, 2, 4, 6}, {1, 3, 5}})}, {2});
  EXPECT_EQ(lists.slabs(0).axes()[0], (std::vector<AxisSlab>{{0, 2, 4, 1, {0, 4}}}));
  const auto padded = Distribution::make({8}, {tridap::padded_block(1)}, {2});
  EXPECT_EQ(padded.slabs(1).axes()[0], (std::vector<AxisSlab>{{4, 4, 1, 4, {1, 5}}}));
  EXPECT_EQ(padded.slabs(1, Part::local).axes()[0], (std::vector<AxisSlab>{{3, 5, 1, 5, {0, 5}}}));
}

}  // namespace
