#include "support/oracle.hpp"
#include <tridap/axis.hpp>
#include <tridap/check.hpp>

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>
#include <string>
#include <tuple>

namespace {

using oracle::Counts;
using oracle::dimension;
using oracle::List;
using tridap::Block;
using tridap::Cyclic;
using tridap::DistArray;
using tridap::Index;
using tridap::Report;
using tridap::Rule;
using tridap::Unstructured;

constexpr Index lowest = std::numeric_limits<Index>::min(), highest = std::numeric_limits<Index>::max();
constexpr Index big = Index{1} << 62;
std::array<double, 24> memory = {};

/// Process 1 of 3 holds [2, 6) of 10 and all of 5 dealt in blocks of 2 over two: (2 + 1) elements; valid.
DistArray valid() {
  DistArray array;
  array.dim_data = {dimension(10, 3, 1), dimension(5, 2, 0)};
  array.dim_data[0].dist = Block{2, 6, {}};
  array.dim_data[1].dist = Cyclic{0, 2};
  array.buffer = tridap::row_major(memory.data(), {4, 3});
  return array;
}

DistArray one_axis(const tridap::Dimension& d, Index extent) {
  DistArray array;
  array.dim_data = {d};
  array.buffer = tridap::row_major(memory.data(), {extent});
  return array;
}

struct Words {
  std::optional<Index> axis;
  std::string key, value;
};

/// Exactly this rule is broken, once, and the finding names the axis, the key and the value.
void expect_only(const Report& report, Rule rule, const Words& words) {
  EXPECT_EQ(report.counts(), (Counts{{rule, 1}})) << report.text();
  ASSERT_EQ(report.findings().size(), 1u) << report.text();
  const tridap::Finding& finding = report.findings().front();
  EXPECT_EQ(finding.axis, words.axis) << report.text();
  EXPECT_EQ(finding.process, std::nullopt);
  EXPECT_EQ(finding.key, words.key);
  EXPECT_NE(finding.value.find(words.value), std::string::npos) << finding.value;
  EXPECT_NE(finding.text().find(std::string("[") + tridap::rule_text(rule).id + "]"), std::string::npos);
  EXPECT_EQ(report.ok(), tridap::rule_text(rule).severity == tridap::Severity::warning);
}

/// One dimension alone breaks exactly this rule.
void expect_dimension(const tridap::Dimension& d, Rule rule, const std::string& key, const std::string& value) {
  Report report;
  const std::optional<Index> held = tridap::check_dimension(d, 7, report);
  expect_only(report, rule, {7, key, value});
  EXPECT_EQ(held.has_value(), report.ok());
}

template <class Kind>
tridap::Dimension with(Kind kind, Index size, Index grid = 1, Index rank = 0) {
  tridap::Dimension d = dimension(size, grid, rank);
  d.dist = std::move(kind);
  return d;
}

TEST(Check, AcceptsAValidArray) { EXPECT_EQ(tridap::check(valid()).text(), ""); }

TEST(Check, ReadsVersionsNineAndTenOfTwoOrThreeNumbersAndNothingElse) {
  const auto counts = [](const std::string& version) {
    DistArray array = valid();
    array.version = version;
    return tridap::check(array).counts();
  };
  for (const char* good :
       {"0.10.0", "0.10.7", "0.10.99999999999999999999999", "0.9.0", "0.9.1", "00.09.0", "0.10", "0.9", "0.010"})
    EXPECT_EQ(counts(good), Counts{}) << good;
  for (const std::string& bad : {std::string("10"),
                                 std::string("0."),
                                 std::string(".10"),
                                 std::string("0.10.0.0"),
                                 std::string("0.10.x"),
                                 std::string(" 0.10.0"),
                                 std::string("0.10.0 "),
                                 std::string("0.10.0\n"),
                                 std::string(),
                                 std::string("."),
                                 std::string(".."),
                                 std::string("0..0"),
                                 std::string("0.10."),
                                 std::string(".10.0"),
                                 std::string("0.-10.0"),
                                 std::string("+0.10.0"),
                                 std::string("0,10,0"),
                                 std::string("0x0.10.0"),
                                 std::string("v0.10.0"),
                                 std::string("0.10.0", 5),
                                 std::string("0.10.0\0", 7),
                                 std::string("0.1\0.0", 6),
                                 std::string("0.\xd9\xa1\xd9\xa0.0"),
                                 std::string("\xef\xbc\x90.10.0"),
                                 std::string(100000, '.'),
                                 "0.10." + std::string(100000, 'x')})
    EXPECT_EQ(counts(bad), (Counts{{Rule::version_form, 1}})) << bad.substr(0, 40);
  for (const std::string& other : {std::string("1.0.0"), std::string("0.90.0"), std::string("0.11.0"),
                                   std::string("0.100.0"), std::string("0.1.0"), std::string("0.1"), std::string("1.0"),
                                   std::string("10.0.0"), std::string("1.10.0"), std::string("0.4294967306.0"),
                                   "0." + std::string(100000, '9') + ".0", "1" + std::string(100000, '0') + ".10.0"})
    EXPECT_EQ(counts(other), (Counts{{Rule::version_read, 1}})) << other.substr(0, 40);
}

TEST(Check, NamesTheVersionItRefuses) {
  DistArray array = valid();
  array.version = "0.8.0";
  expect_only(tridap::check(array), Rule::version_read, {{}, "__version__", "0.8.0"});
  EXPECT_NE(tridap::check(array).text().find("0.10"), std::string::npos);
  array.version = std::string(1000000, '7');
  expect_only(tridap::check(array), Rule::version_form, {{}, "__version__", "777"});
  EXPECT_LT(tridap::check(array).text().size(), 1000u);
}

TEST(Check, EachRuleOfOneDimensionIsFoundAlone) {
  expect_dimension(with(Cyclic{0, 1}, -1), Rule::size, "size", "-1");
  expect_dimension(with(Cyclic{0, 1}, lowest), Rule::size, "size", "-9223372036854775808");
  expect_dimension(with(Block{0, 4, {}}, 4, 0), Rule::grid_size, "proc_grid_size", "0");
  expect_dimension(with(Cyclic{0, 1}, 4, -3), Rule::grid_size, "proc_grid_size", "-3");
  expect_dimension(with(Block{0, 4, {}}, 4, 2, 2), Rule::grid_rank, "proc_grid_rank", "2");
  expect_dimension(with(Block{0, 4, {}}, 4, 2, -1), Rule::grid_rank, "proc_grid_rank", "-1");
  expect_dimension(with(Block{-1, 4, {}}, 4), Rule::block_bounds, "start", "-1");
  expect_dimension(with(Block{3, 2, {}}, 4), Rule::block_bounds, "stop", "2");
  expect_dimension(with(Block{3, 5, {}}, 4), Rule::block_bounds, "stop", "5");
  expect_dimension(with(Block{0, 4, {{-1, 0}}}, 4), Rule::block_padding, "padding", "(-1, 0)");
  expect_dimension(with(Block{0, 4, {{0, -1}}}, 4), Rule::block_padding, "padding", "(0, -1)");
  expect_dimension(with(Block{0, 4, {{3, 2}}}, 4), Rule::block_padding, "padding", "(3, 2)");
  expect_dimension(with(Block{0, 4, {{big, highest}}}, 4), Rule::block_padding, "padding", "4611686018427387904");
  expect_dimension(with(Block{0, 4, {{lowest, highest}}}, 4), Rule::block_padding, "padding", "-9223372036854775808");
  expect_dimension(with(Cyclic{0, 0}, 4), Rule::cyclic_block_size, "block_size", "0");
  expect_dimension(with(Cyclic{-2, 1}, 4), Rule::cyclic_start, "start", "-2");
  expect_dimension(with(Cyclic{3, 2}, 9, 3), Rule::cyclic_start, "start", "3");
  expect_dimension(with(Cyclic{6, 2}, 9, 3), Rule::cyclic_start, "start", "6");
  expect_dimension(with(Unstructured{List{1, 2, 3}, false}, 2), Rule::unstructured_size, "size", "2");
  expect_dimension(with(Unstructured{List{1, 2, 1}, false}, 3), Rule::unstructured_unique, "indices", "1");
  static double numbers[2] = {0, 1};
  expect_dimension(with(Unstructured{tridap::row_major(numbers, {2}), false}, 2), Rule::unstructured_indices, "indices",
                   "float64");
}

TEST(Check, WarnsOfWhatItPassesOn) {
  tridap::Dimension d = with(Cyclic{0, 2}, 4);
  d.periodic = true;
  expect_dimension(d, Rule::periodic_kind, "periodic", "true");
  d = with(Unstructured{List{1, 2}, false}, 2);
  d.periodic = true;
  expect_dimension(d, Rule::periodic_kind, "periodic", "true");
  d = with(Block{0, 4, {}}, 4);
  d.periodic = true;
  d.extras = {{"units", "\"m\""}};
  expect_dimension(d, Rule::extra_key, "units", "\"m\"");
}

TEST(Check, DimensionHoldsWhatTheOracleDeals) {
  for (Index size = 0; size <= 9; ++size)
    for (Index grid = 1; grid <= 4; ++grid)
      for (Index block_size = 1; block_size <= 4; ++block_size) {
        const oracle::Axis dealt = oracle::cyclic(size, block_size, grid, grid - 1);
        for (Index c = 0; c < grid; ++c) {
          Report report;
          EXPECT_EQ(tridap::check_dimension(dealt.dims[static_cast<std::size_t>(c)], 0, report),
                    static_cast<Index>(dealt.held_by(c).size()));
        }
      }
}

TEST(Check, EmptySharesAreLegal) {
  for (const tridap::Dimension& d : {with(Block{5, 5, {}}, 5, 2), with(Block{0, 0, {}}, 5, 2), with(Block{0, 0, {}}, 0),
                                     with(Cyclic{7, 3}, 5, 2), with(Cyclic{0, 1}, 0), with(Unstructured{}, 0)})
    EXPECT_EQ(tridap::check(one_axis(d, 0)).text(), "");
}

TEST(Check, TheFirstAndTheLastShareOfAnAxisAreCheckedWithoutTheOthers) {
  const auto text_of = [](Block block, Index size, Index grid, Index rank) {
    tridap::Dimension d = with(block, size, grid);
    d.proc_grid_rank = rank;
    return tridap::check(one_axis(d, block.stop - block.start)).text();
  };
  EXPECT_NE(
      text_of({5, 8, {}}, 10, 2, 0).find("'start' is 5, must be 0 on the first process of the axis [block.tiling]"),
      std::string::npos);
  EXPECT_NE(text_of({5, 8, {}}, 10, 2, 1).find("'stop' is 8, must be size 10"), std::string::npos);
  EXPECT_NE(text_of({0, 8, {}}, 10, 1, 0).find("'stop' is 8, must be size 10"), std::string::npos);
  EXPECT_EQ(text_of({3, 8, {}}, 10, 3, 1), "");
  EXPECT_EQ(text_of({0, 10, {}}, 10, 1, 0), "");
  EXPECT_EQ(text_of({10, 10, {}}, 10, 3, 0), "");
}

TEST(Check, OneProcessAloneOnAnAxisChecksTheWholeAxis) {
  DistArray listed = one_axis(with(tridap::Unstructured{std::vector<Index>{0, 1}, false}, 5, 1), 2);
  EXPECT_EQ(tridap::check(listed).counts(), (Counts{{Rule::unstructured_size, 1}}));
  tridap::Dimension d = with(Block{0, 10, {{5, 5}}}, 10, 1);
  EXPECT_EQ(tridap::check(one_axis(d, 10)).text(), "");
  d.periodic = true;  // of a period of 0
  const Report report = tridap::check(one_axis(d, 10));
  EXPECT_EQ(report.counts(), (Counts{{Rule::block_periodic, 1}}));
  EXPECT_EQ(report.findings().front().process, std::nullopt);
}

TEST(Check, EachRuleOfTheBufferIsFoundAlone) {
  const auto broken = [](auto change) {
    DistArray array = valid();
    change(array.buffer);
    return tridap::check(array);
  };
  expect_only(broken([](auto& b) { b.strides = {24}; }), Rule::buffer_layout, {{}, "", "2 extents and 1 strides"});
  expect_only(broken([](auto& b) { b.shape[1] = -3; }), Rule::buffer_layout, {{}, "", "-3"});
  expect_only(broken([](auto& b) { b.strides[0] = big; }), Rule::buffer_layout,
              {{}, "", "lowest to the highest element"});
  expect_only(broken([](auto& b) { b.strides[0] = lowest; }), Rule::buffer_layout,
              {{}, "", "lowest to the highest element"});
  expect_only(broken([](auto& b) {
                b.strides = {big / 2, -big / 2};
              }),
              Rule::buffer_layout, {{}, "", "lowest to the highest element"});
  expect_only(broken([](auto& b) { b.shape = {big, big}; }), Rule::buffer_layout, {{}, "", "64 bits"});
  expect_only(broken([](auto& b) { b.shape = {highest, 1}; }), Rule::buffer_layout, {{}, "", "64 bits"});
  expect_only(broken([](auto& b) { b.data = nullptr; }), Rule::buffer_data, {{}, "", "null"});
  expect_only(broken([](auto& b) { b.type.bytes = 0; }), Rule::buffer_type, {{}, "", "0 bytes"});
  expect_only(broken([](auto& b) { b.shape[1] = 2; }), Rule::shape_extent, {1, "", "2"});
  expect_only(broken([](auto& b) {
                b = tridap::row_major(memory.data(), {4, 3, 1});
              }),
              Rule::shape_ndim, {{}, "", "3"});
}

TEST(Check, GridWithoutA64BitProductIsRefused) {
  DistArray array = valid();
  array.dim_data = {with(Cyclic{0, 1}, 4, big), with(Cyclic{0, 1}, 3, big)};
  array.buffer = tridap::row_major(memory.data(), {1, 1});
  expect_only(tridap::check(array), Rule::grid_product, {{}, "", "proc_grid_size"});
}

TEST(Check, FindsEveryFaultAtOnce) {
  DistArray array = valid();
  array.version = "1.2.3";
  array.buffer.data = nullptr;
  array.dim_data[0] = with(Block{-5, 12, {{-1, -1}}}, 10, 0, 4);
  array.dim_data[1] = with(Cyclic{1, -2}, -1, 2, 2);
  array.dim_data[1].extras = {{"a", "1"}, {"b", "2"}};
  const Counts all = {{Rule::version_read, 1},      {Rule::buffer_data, 1},  {Rule::grid_size, 1},
                      {Rule::grid_rank, 2},         {Rule::block_bounds, 2}, {Rule::block_padding, 1},
                      {Rule::cyclic_block_size, 1}, {Rule::size, 1},         {Rule::extra_key, 2}};
  EXPECT_EQ(tridap::check(array).counts(), all) << tridap::check(array).text();
}

TEST(Check, EveryRepeatedIndexIsNamedOnce) {
  Report report;
  tridap::check_dimension(with(Unstructured{List{4, 7, 4, 7, 4, 1}, false}, 6), 0, report);
  EXPECT_EQ(report.counts(), (Counts{{Rule::unstructured_unique, 2}})) << report.text();
}

TEST(Check, AnyMemoryOrderStrideAndByteOrderIsLegal) {
  DistArray array = valid();
  array.buffer.strides = tridap::column_major_strides({4, 3}, 8);
  EXPECT_EQ(tridap::check(array).text(), "");
  array.buffer.data = &memory[11];
  array.buffer.strides = {-24, -8};
  EXPECT_EQ(tridap::check(array).text(), "");
  array.buffer.strides = {0, 0};
  EXPECT_EQ(tridap::check(array).text(), "");
  array.buffer.strides = {3, -1};  // unaligned, overlapping
  EXPECT_EQ(tridap::check(array).text(), "");
  array.buffer.type.native_order = false;
  array.buffer.type.kind = tridap::ElementType::Kind::opaque;
  EXPECT_EQ(tridap::check(array).text(), "");
}

TEST(Check, ArrayWithoutAxesIsOneElement) {
  DistArray array;
  array.buffer = tridap::row_major(memory.data(), {});
  EXPECT_EQ(tridap::check(array).text(), "");
  array.buffer.data = nullptr;
  expect_only(tridap::check(array), Rule::buffer_data, {{}, "", "null"});
  array.buffer = tridap::row_major(memory.data(), {1});
  expect_only(tridap::check(array), Rule::shape_ndim, {{}, "", "1"});
}

// Example 2.1 of 0.10.0 prints the buffer [0.2 0.6 0.9 0.6 0.8 0.4 0.2 0.2 ...] flat under two dictionaries.
TEST(Check, FlatBufferUnderTwoDictionariesIsAnErrorThatNamesTheReshape) {
  DistArray array = valid();
  array.buffer = tridap::row_major(memory.data(), {12});
  expect_only(tridap::check(array), Rule::shape_ndim, {{}, "", "1 axes and dim_data has 2"});
  EXPECT_NE(tridap::check(array).text().find("reshape the buffer to 4 x 3"), std::string::npos)
      << tridap::check(array).text();
  array.buffer = tridap::row_major(memory.data(), {13});
  expect_only(tridap::check(array), Rule::shape_ndim, {{}, "", "1 axes and dim_data has 2"});
  EXPECT_EQ(tridap::check(array).text().find("4 x 3"), std::string::npos) << tridap::check(array).text();
}

TEST(Check, ValuesAtTheEndOf64BitsNeitherWrapNorAllocate) {
  const auto held = [](const tridap::Dimension& d) {
    Report report;
    const auto count = tridap::check_dimension(d, 0, report);
    EXPECT_EQ(report.text(), "");
    return count;
  };
  EXPECT_EQ(held(with(Block{0, highest, {}}, highest)), highest);
  EXPECT_EQ(held(with(Block{big, highest, {{big - 1, 0}}}, highest, highest, highest - 1)), highest - big);
  EXPECT_EQ(held(with(Cyclic{0, highest}, highest, highest)), highest);
  EXPECT_EQ(held(with(Cyclic{big, big}, highest, highest, 3)), big - 1);
  EXPECT_EQ(held(with(Cyclic{highest, big}, highest, 3)), 0);
  EXPECT_EQ(held(with(Cyclic{0, 1}, highest, 2)), big);
  EXPECT_EQ(held(with(Cyclic{1, 1}, highest, 2)), big - 1);
  expect_dimension(with(Block{0, highest, {}}, highest - 1), Rule::block_bounds, "stop", "9223372036854775807");
  expect_dimension(with(Cyclic{highest - 1, 2}, highest, 3), Rule::cyclic_start, "start", "9223372036854775806");
  Report report;
  EXPECT_FALSE(
      tridap::check_dimension(with(Block{lowest, highest, {{highest, highest}}}, lowest, lowest, lowest), 0, report));
  EXPECT_FALSE(tridap::check_dimension(with(Block{highest, lowest, {{lowest, lowest}}}, highest), 0, report));
  EXPECT_FALSE(tridap::check_dimension(with(Cyclic{lowest, lowest}, lowest, lowest, highest), 0, report));
}

TEST(Check, IndicesThatCannotBeThereAreRefused) {
  tridap::Buffer stated = tridap::row_major(reinterpret_cast<Index*>(memory.data()), {2});
  stated.shape = {lowest};
  expect_dimension(with(Unstructured{stated, false}, 3), Rule::unstructured_indices, "indices", "-9223372036854775808");
  stated.shape = {2};
  stated.data = nullptr;
  expect_dimension(with(Unstructured{stated, false}, 3), Rule::unstructured_indices, "indices", "");
}

TEST(Check, StatedCountOfIndicesNeitherThrowsNorAllocates) {
  tridap::Buffer stated = tridap::row_major(reinterpret_cast<Index*>(memory.data()), {2});
  stated.strides = {0};  // one element in memory, however many are stated
  for (Index extent : {highest, big, Index{1} << 44}) {
    stated.shape = {extent};
    for (Index size : {Index{3}, extent}) {
      Report report;
      EXPECT_NO_THROW(tridap::check_dimension(with(Unstructured{stated, false}, size), 0, report));
      EXPECT_FALSE(report.ok());
    }
  }
}

TEST(Check, WhateverIsStatedNothingThrowsOrWraps) {
  std::mt19937_64 random(99);
  const List values = {lowest, lowest + 1, -big, -2, -1, 0, 0, 1, 2, 3, 8, big - 1, big, big + 1, highest - 1, highest};
  const auto any = [&] { return values[random() % values.size()]; };
  Index accepted = 0;
  for (int round = 0; round < 100000; ++round) {
    std::vector<tridap::Dimension> dims(1 + random() % 2);
    const Index size = any();
    for (tridap::Dimension& d : dims) {
      d = dimension(size, round % 3 == 0 ? any() : static_cast<Index>(dims.size()), any());
      if (round % 3 > 0) d.proc_grid_rank = &d - dims.data();
      d.periodic = random() % 2 == 0;
      d.dist = Cyclic{any(), any()};
      if (round % 2 == 0) d.dist = Block{any(), any(), {{any(), any()}}};
    }
    DistArray array;
    array.dim_data = dims;
    array.buffer = tridap::row_major(memory.data(), List(dims.size(), 1));
    for (Index& extent : array.buffer.shape) extent = any();
    for (Index& stride : array.buffer.strides) stride = any();
    array.buffer.type.bytes = any();
    ASSERT_NO_THROW(tridap::check(array));
    Report report;
    const auto axis = tridap::Axis::make(dims, 0, report);
    ASSERT_EQ(axis.has_value(), report.ok());
    if (!axis) continue;
    ++accepted;
    Index left = axis->size();
    for (Index c = 0; c < axis->proc_grid_size(); ++c) {
      left -= axis->count(c);
      const Index extent = axis->part(c, tridap::Part::local).size();
      ASSERT_EQ(tridap::check_dimension(dims[static_cast<std::size_t>(c)], 0, report), extent);
      for (Index local : {Index{0}, extent / 2, extent - 1})
        if (local >= 0 && local < extent) {
          ASSERT_EQ(axis->local_index(c, axis->global_index(c, local), tridap::Part::local), local);
        }
    }
    ASSERT_EQ(left, 0);
  }
  EXPECT_GT(accepted, 100);
}

TEST(Check, HundredThousandDimensionsAreAnInstant) {
  DistArray array;
  array.dim_data.assign(100000, tridap::undistributed(1));
  array.buffer = tridap::row_major(memory.data(), List(100000, 1));
  EXPECT_EQ(tridap::check(array).text(), "");
  for (tridap::Dimension& d : array.dim_data) std::get<Block>(d.dist).stop = 2;
  const Report report = tridap::check(array);
  EXPECT_EQ(report.counts(), (Counts{{Rule::block_bounds, 100000}}));
  EXPECT_EQ(report.findings().size(), 100u);
}

TEST(Check, SaysTheFaultTheValueTheRuleAndTheRemedy) {
  DistArray array = valid();
  std::get<Block>(array.dim_data[0].dist).stop = 12;
  std::swap(array.dim_data[0], array.dim_data[1]);
  Report report = tridap::check(array);
  report.set_process(3);
  const std::string expected = "axis 1 (rank 3): 'stop' is 12, must be at most size 10 [block.bounds]";
  EXPECT_NE(report.text().find(expected), std::string::npos) << report.text();
}

TEST(Check, UndistributedDimensionIsBlockOverOneProcess) {
  for (Index extent : {0, 1, 5}) EXPECT_EQ(tridap::check(one_axis(tridap::undistributed(extent), extent)).text(), "");
  EXPECT_EQ(tridap::undistributed(3).dist_type(), 'b');
}

/// A padded block of the old version, and the buffer's extent it asks for: nothing where it is wrong.
struct Old {
  Index size, grid, rank, start, stop, left, right;
  bool periodic;
  std::optional<Index> extent;
  std::optional<Rule> rule;
};

TEST(Check, OldVersionCountsCommunicationPaddingBesideStartAndStop) {
  for (const Old& o : {Old{10, 3, 1, 3, 6, 1, 2, false, 6, {}},
                       Old{10, 3, 0, 0, 3, 1, 1, false, 4, {}},  // the lower width is boundary: inside
                       Old{10, 3, 2, 6, 10, 1, 4, false, 5, {}},
                       Old{10, 1, 0, 0, 10, 5, 5, false, 10, {}},
                       Old{10, 3, 0, 0, 3, 1, 1, true, 5, {}},  // periodic: nothing is boundary
                       Old{10, 3, 2, 6, 10, 1, 1, true, 6, {}},
                       Old{10, 1, 0, 0, 10, 2, 2, true, 14, {}},
                       Old{10, 3, 1, 3, 3, 1, 1, false, 2, {}},
                       Old{10, 3, 0, 0, 3, 4, 0, false, {}, Rule::block_padding},
                       Old{10, 3, 0, 0, 3, 4, 0, true, 7, {}},
                       Old{10, 3, 2, 6, 10, 0, 5, false, {}, Rule::block_padding},
                       Old{10, 1, 0, 0, 10, 6, 5, false, {}, Rule::block_padding},
                       Old{10, 3, 1, 3, 6, -1, 0, false, {}, Rule::block_padding},
                       Old{10, 3, 1, 3, 6, 0, -1, true, {}, Rule::block_padding},
                       Old{10, 3, 1, 3, 6, 11, 0, false, {}, Rule::block_padding_owned},
                       Old{10, 3, 1, 3, 6, 0, 11, false, {}, Rule::block_padding_owned},
                       Old{10, 3, 1, 3, 6, 3, 4, false, 10, {}},                         // as many as are left
                       Old{10, 3, 1, 3, 6, 4, 0, false, {}, Rule::block_padding_owned},  // 3 are before it
                       Old{10, 3, 1, 3, 6, 0, 5, false, {}, Rule::block_padding_owned},  // 4 are behind it
                       Old{10, 3, 1, 3, 6, 10, 10, true, 23, {}},
                       Old{highest, 3, 1, 0, highest, 1, 0, false, {}, Rule::block_padding_owned},
                       Old{highest, 3, 1, 1, highest, 1, 0, false, highest, {}},
                       Old{big, 3, 1, 0, big, big, big, true, {}, Rule::block_padding_owned}}) {
    tridap::Dimension d = with(Block{o.start, o.stop, {{o.left, o.right}}}, o.size, o.grid, o.rank);
    d.periodic = o.periodic;
    Report report;
    EXPECT_EQ(tridap::check_dimension(d, 0, report, tridap::Version::v0_9), o.extent) << report.text();
    EXPECT_EQ(report.counts(), o.rule ? (Counts{{*o.rule, 1}}) : Counts{}) << report.text();
    if (o.extent && *o.extent <= 24) {
      DistArray array = one_axis(d, *o.extent);
      array.version = "0.9.0";
      EXPECT_EQ(tridap::check(array).text(), "");
      array.buffer.shape[0] += 1;
      EXPECT_EQ(tridap::check(array).counts(), (Counts{{Rule::shape_extent, 1}}));
    }
  }
}

TEST(Check, PeriodicIsLegalOnAnyAxisOfTheOldVersion) {
  for (const auto version : {tridap::Version::v0_9, tridap::Version::v0_10}) {
    tridap::Dimension d = with(Cyclic{0, 1}, 4);
    d.periodic = true;
    Report report;
    EXPECT_EQ(tridap::check_dimension(d, 0, report, version), 4);
    EXPECT_EQ(report.count(Rule::periodic_kind), version == tridap::Version::v0_10 ? 1 : 0);
  }
}

TEST(Check, MismatchNamesTheVersionThatWouldFitAndTrustFollowsIt) {
  const tridap::Dimension d = with(Block{2, 6, {{1, 1}}}, 10, 3, 1);
  for (const auto& [stamp, extent, other] :
       {std::tuple("0.10.0", Index{6}, "0.9"), std::tuple("0.9.0", Index{4}, "0.10")}) {
    DistArray array = one_axis(d, extent);
    array.version = stamp;
    const Report report = tridap::check(array);
    EXPECT_EQ(report.counts(), (Counts{{Rule::shape_extent, 1}}));
    EXPECT_EQ(report.findings()[0].remedy,
              "it would fit as version " + std::string(other) + ": correct '__version__', or read with trust_extent");
    EXPECT_EQ(tridap::check(array, {true}).counts(), (Counts{{Rule::version_extent, 1}}));
    EXPECT_TRUE(tridap::check(array, {true}).ok());
    array.buffer.shape[0] = 5;  // neither
    for (const bool trust : {false, true}) {
      EXPECT_EQ(tridap::check(array, {trust}).counts(), (Counts{{Rule::shape_extent, 1}}));
      EXPECT_EQ(tridap::check(array, {trust}).text().find("would fit"), std::string::npos);
    }
  }
  DistArray array = one_axis(d, 6);
  array.version = "7";
  EXPECT_EQ(tridap::check(array, {true}).count(Rule::version_extent), 0);
}

}  // namespace
