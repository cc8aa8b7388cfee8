#include "support/expect_mapping.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace {

using namespace oracle;

Index product(const List& numbers) {
  Index all = 1;
  for (const Index number : numbers) all *= number;
  return all;
}

TEST(Hpf, GenBlockFillsOneProcessorAfterTheOther) {
  sweep([](Index size, Index grid) {
    for (Index longer = 0; longer <= 4; ++longer) {
      List sizes;  // 0, 3, 1, 4, ... and what is missing on the last processor
      Index given = 0;
      for (Index c = 0; c + 1 < grid; ++c) given += sizes.emplace_back(3 * c % 5 + (c > 0 ? longer % 2 : 0));
      sizes.push_back(std::max<Index>(size - given, 0) + longer);
      expect_mapping(tridap::hpf::gen_block(from(1, size), sizes), 1, 'b', size, grid, by_owner([=](Index m) {
                       Index c = 0, left = m;
                       while (left >= sizes[static_cast<std::size_t>(c)]) left -= sizes[static_cast<std::size_t>(c++)];
                       return c;
                     }));
    }
  });
  EXPECT_EQ(tridap::hpf::gen_block({1, 10}, {2, 5, 4}).axis.count(2), 3);
  expect_refused(
      [] {
        tridap::hpf::gen_block({1, 10}, {2, 5, 2}, 3);
      },
      Rule::block_tiling, 3, "is 9, must be at least 10");
  expect_refused([] { tridap::hpf::gen_block({1, 4}, {-1, 9}, 1); }, Rule::block_tiling, 1, "is -1");
  expect_refused([] { tridap::hpf::gen_block({1, 4}, {}); }, Rule::grid_size, 0, "is 0");
}

TEST(Hpf, IndirectPutsEachElementWhereItsMapSays) {
  sweep([](Index size, Index grid) {
    List map;
    for (Index m = 0; m < size; ++m) map.push_back((m * m + 2 * m) % grid + 1);
    expect_mapping(tridap::hpf::indirect(from(-2, size), grid, map), -2, 'u', size, grid,
                   by_owner([=](Index m) { return map[static_cast<std::size_t>(m)] - 1; }));
  });
  expect_refused([] { tridap::hpf::indirect({1, 3}, 2, {1, 2}, 2); }, Rule::conversion, 2, "is 2, must be 3");
  expect_refused([] { tridap::hpf::indirect({1, 3}, 2, {1, 2, 3}); }, Rule::conversion, 0, "is 3, must be a processor");
  expect_refused([] { tridap::hpf::indirect({1, 3}, 2, {0, 2, 1}); }, Rule::conversion, 0, "is 0, must be a processor");
}

TEST(Hpf, ShadowIsPaddingAtTheInnerBorders) {
  for (Index width = 0; width <= 3; ++width)
    for (const List& owned : {List{4, 4, 4}, List{5, 3, 9}, List{7}}) {
      const auto grid = static_cast<Index>(owned.size());
      Index size = 0;
      for (const Index count : owned) size += count;
      const auto made = tridap::hpf::shadow(tridap::hpf::gen_block(from(1, size), owned), width);
      const List shared(width == 0 ? 0 : static_cast<std::size_t>(grid) - 1, width);
      ASSERT_NO_FATAL_FAILURE(oracle::expect_axis(made.axis, oracle::block(owned, shared, {0, 0}, false)));
      EXPECT_EQ(made.index_base, 1);
      EXPECT_EQ(made.losses, Words{});
    }
  expect_refused([] { tridap::hpf::shadow(tridap::hpf::cyclic({1, 9}, 3), 1, 1); }, Rule::conversion, 1, "only BLOCK");
  expect_refused([] { tridap::hpf::shadow(tridap::hpf::block({1, 9}, 3), -1); }, Rule::block_padding, 0, "is -1");
  EXPECT_THROW(tridap::hpf::shadow(tridap::hpf::block({1, 9}, 3), 4), tridap::Error);
}

TEST(Chapel, DefaultGridsAreThoseOfChapel) {
  const std::vector<std::pair<List, List>> known = {{{1, 12}, {12}},       {{2, 1}, {1, 1}},    {{2, 12}, {6, 2}},
                                                    {{2, 8}, {4, 2}},      {{2, 7}, {7, 1}},    {{2, 36}, {6, 6}},
                                                    {{3, 12}, {3, 2, 2}},  {{3, 8}, {2, 2, 2}}, {{2, 24}, {6, 4}},
                                                    {{3, 60}, {10, 3, 2}}, {{2, 30}, {10, 3}},  {{4, 2}, {2, 1, 1, 1}}};
  for (const auto& [asked, grid] : known) EXPECT_EQ(tridap::chapel::default_grid(asked[0], asked[1]), grid) << asked[1];
  for (Index ndim = 1; ndim <= 4; ++ndim)
    for (Index locales = 1; locales <= 100; ++locales)
      EXPECT_EQ(product(tridap::chapel::default_grid(ndim, locales)), locales);
  EXPECT_THROW(tridap::chapel::default_grid(0, 1), tridap::Error);
  EXPECT_THROW(tridap::chapel::default_grid(2, 0), tridap::Error);
}

TEST(Julia, DefaultGridsAreThoseOfDArray) {
  EXPECT_EQ(tridap::julia::default_grid({100, 30}, 12), (List{6, 2}));  // 3: 100 -> 33; 2: 33 -> 16; 2: 30 -> 15
  EXPECT_EQ(tridap::julia::default_grid({10, 10}, 4), (List{2, 2}));    // the last one of two equal axes first
  EXPECT_EQ(tridap::julia::default_grid({10, 10}, 2), (List{1, 2}));
  EXPECT_EQ(tridap::julia::default_grid({10, 10, 10}, 6), (List{1, 2, 3}));
  EXPECT_EQ(tridap::julia::default_grid({5}, 7), (List{1}));  // 7 does not fit
  EXPECT_EQ(tridap::julia::default_grid({3, 2}, 4), (List{2, 2}));
  EXPECT_EQ(tridap::julia::default_grid({0, 0}, 6), (List{1, 1}));
  EXPECT_EQ(tridap::julia::default_grid({8, 3}, 1), (List{1, 1}));
  EXPECT_THROW(tridap::julia::default_grid({}, 1), tridap::Error);
  EXPECT_THROW(tridap::julia::default_grid({4}, 0), tridap::Error);
  EXPECT_THROW(tridap::julia::default_grid({-1}, 2), tridap::Error);
}

/// The place of an element as X10's own formula gives it, if there are as many blocks as places.
Index place_of(Index i, Index j, Index rows, Index columns, Index d0, Index d1) {
  return j * d1 / columns * d0 + i * d0 / rows;
}

TEST(X10, BlockBlockGoesWhereItsFormulaSays) {
  int made_of = 0;
  for (Index rows = 1; rows <= 9; ++rows)
    for (Index columns = 1; columns <= 9; ++columns)
      for (Index places = 1; places <= 20; ++places) {
        const Index even = rows > 1 ? rows - rows % 2 : 1;
        const double power = std::pow(2, std::ceil(std::log2(static_cast<double>(places)) / 2));
        const Index d0 = rows > 1 ? std::min(even, static_cast<Index>(power)) : 1;
        const Index d1 = std::min(columns, (places + d0 - 1) / d0);
        for (const bool turned : {false, true}) {
          const std::vector<tridap::IndexBounds> region =
              turned ? std::vector<tridap::IndexBounds>{from(-1, columns), from(2, rows)}
                     : std::vector<tridap::IndexBounds>{from(2, rows), from(-1, columns)};
          const auto make = [&] { return tridap::x10::block_block(region, turned ? 1 : 0, turned ? 0 : 1, places); };
          if (places > even * columns || d0 * d1 != places) {
            EXPECT_THROW(make(), tridap::Error);
            continue;
          }
          ++made_of;
          const Translation made = make();
          for (Index i = 0; i < rows; ++i)
            for (Index j = 0; j < columns; ++j) {
              const auto owner = made.distribution.owner(turned ? List{j, i} : List{i, j});
              ASSERT_TRUE(owner);
              ASSERT_EQ(made.foreign_process(*owner), place_of(i, j, rows, columns, d0, d1));
            }
        }
      }
  EXPECT_GT(made_of, 500);
  EXPECT_THROW(tridap::x10::block_block({from(0, 4)}, 0, 1, 2), tridap::Error);
  EXPECT_THROW(tridap::x10::block_block({from(0, 4), from(0, 4)}, 1, 1, 2), tridap::Error);
  EXPECT_THROW(tridap::x10::block_block({from(0, 4), from(0, 4)}, 0, 1, 0), tridap::Error);
  expect_refused(
      [] {
        tridap::x10::block_block({from(0, 4), from(0, 4)}, 0, 2, 2);
      },
      Rule::shape_ndim, 2, "the region has 2 axes");
}

}  // namespace
