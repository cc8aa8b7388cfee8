#include "support/thrown.hpp"
#include <tridap/draw_html.hpp>
#include <tridap/make.hpp>
#include <tridap/redistribute/plan.hpp>
#include <tridap/report.hpp>
#include <tridap/value.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <utility>

namespace {

using tridap::AxisSpec;
using tridap::Distribution;
using tridap::draw_html;
using tridap::Index;
using tridap::PageArray;
using tridap::Value;
using List = std::vector<Index>;

constexpr Index highest = std::numeric_limits<Index>::max(), lowest = std::numeric_limits<Index>::min();

PageArray array_of(const List& shape, const std::vector<AxisSpec>& specs, const List& grid) {
  return {"x", Distribution::make(shape, specs, grid), tridap::element_type("float64")};
}

/// The data of a page. It is all that lies between the tag and the next one.
Value data_of(const std::string& page) {
  const std::string tag = "id=\"data\">";
  const std::size_t begin = page.find(tag) + tag.size();
  return tridap::read_json(page.substr(begin, page.find('<', begin) - begin));
}

std::vector<Value> elements(const Value& list) {
  std::vector<Value> all;
  for (std::size_t i = 0; i < list.list_size().value(); ++i) all.push_back(list.element(i));
  return all;
}

/// A number, which may be in quotes.
Index number(const Value& value) {
  if (const auto* text = value.as<std::string>()) return std::stoll(*text);
  return *value.as<Index>();
}

/// A list of numbers and of [first, step, length], written out.
List expanded(const Value& list) {
  List all;
  for (const Value& item : elements(list)) {
    if (!item.list_size()) {
      all.push_back(number(item));
      continue;
    }
    const std::vector<Value> run = elements(item);
    for (Index i = 0; i < number(run[2]); ++i) all.push_back(number(run[0]) + i * number(run[1]));
  }
  return all;
}

/// Runs of peers and the elements that each of them gets, written out.
std::map<Index, Index> row_of(const Value& runs) {
  std::map<Index, Index> row;
  const std::vector<Value> numbers = elements(runs);
  for (std::size_t i = 0; i < numbers.size(); i += 3)
    for (Index k = 0; k < number(numbers[i + 1]); ++k) row[number(numbers[i]) + k] = number(numbers[i + 2]);
  return row;
}

/// The bytes of each pair of processes that a page gives: the product over the axes.
std::map<std::pair<Index, Index>, Index> bytes_of_page(const PageArray& source, const PageArray& target) {
  const Value data = data_of(draw_html(source, target));
  const Value* axes = data.find("moves")->find("axes");
  std::map<std::pair<Index, Index>, Index> sent;
  for (Index s = 0; axes != nullptr && s < source.distribution.processes(); ++s)
    for (Index t = 0; t < target.distribution.processes(); ++t) {
      const List from = source.distribution.coordinates(s), to = target.distribution.coordinates(t);
      Index bytes = 8;
      for (std::size_t i = 0; i < from.size(); ++i)
        bytes *= row_of(axes->element(i).element(static_cast<std::size_t>(from[i])))[to[i]];
      if (bytes > 0) sent[{s, t}] = bytes;
    }
  return sent;
}

std::string why(const PageArray& source, const PageArray& target) {
  const Value data = data_of(draw_html(source, target));
  const Value* words = data.find("moves")->find("why");
  return words == nullptr ? "" : *words->as<std::string>();
}

/// Axes of 12 elements over up to 4 coordinates, each kind of them.
std::vector<std::pair<AxisSpec, Index>> axes_of_12() {
  std::vector<std::pair<AxisSpec, Index>> all;
  for (Index grid = 1; grid <= 4; ++grid) {
    all.emplace_back(tridap::block(), grid);
    for (Index length = 1; length <= 5; ++length) all.emplace_back(tridap::cyclic(length, grid - 1), grid);
  }
  all.emplace_back(tridap::block_at({0, 0, 5}), 3);
  all.emplace_back(tridap::unstructured({{3, 1, 2, 0}, {}, {11, 4, 5, 6, 7, 8, 9, 10}}), 3);
  return all;
}

TEST(DrawHtml, GivesThePairsThatPlansCount) {
  const auto axes = axes_of_12();
  for (const auto& [from, from_grid] : axes)
    for (const auto& [to, to_grid] : axes) {
      const PageArray source = array_of({12, 3}, {from, tridap::whole()}, {from_grid, 1});
      const PageArray target = array_of({12, 3}, {to, tridap::block()}, {to_grid, 2});
      std::map<std::pair<Index, Index>, Index> counted;
      for (Index s = 0; s < source.distribution.processes(); ++s) {
        const tridap::redistribute::Plan plan(source.distribution, target.distribution, 8, s);
        for (const auto& sent : plan.sends()) counted[{s, sent.rank}] = sent.bytes;
      }
      EXPECT_EQ(bytes_of_page(source, target), counted);
    }
}

TEST(DrawHtml, ListsAreReadBackFromTheirRuns) {
  const std::vector<List> lists = {{},
                                   {7},
                                   {0, 5, 6, 7, 8, 3},
                                   {20, 18, 16, 14, 13, 12, 100, 101},
                                   {lowest, -1, highest},
                                   {highest - 2, highest - 1, lowest + 1},
                                   {-9, -6, -3, 300, 200},
                                   {highest - 5, lowest + 7, highest - 6}};
  Index total = 0;
  for (const List& list : lists) total += static_cast<Index>(list.size());
  const Value data = data_of(draw_html(array_of({total}, {tridap::unstructured(lists)}, {8})));
  const std::vector<Value> found = elements(*data.find("arrays")->element(0).find("axes")->element(0).find("lists"));
  ASSERT_EQ(found.size(), lists.size());
  for (std::size_t c = 0; c < lists.size(); ++c) EXPECT_EQ(expanded(found[c]), lists[c]) << c;
}

TEST(DrawHtml, IrregularAndPaddedBlocksAreReadBackFromTheirRuns) {
  tridap::BlockSpec spec = tridap::block_at({0, 4, 8, 12, 20});
  spec.padding = 2;
  spec.edges = {1, 3};
  const PageArray array = array_of({30}, {spec}, {5});
  const Value axis = data_of(draw_html(array)).find("arrays")->element(0).find("axes")->element(0);
  EXPECT_EQ(expanded(*axis.find("bounds")), (List{0, 4, 8, 12, 20, 30}));
  EXPECT_EQ(expanded(axis.find("padding")->element(0)), (List{1, 2, 2, 2, 2}));
  EXPECT_EQ(expanded(axis.find("padding")->element(1)), (List{2, 2, 2, 2, 3}));
}

TEST(DrawHtml, NumbersThatADoubleMayNotHoldAreInQuotes) {
  const std::string page = draw_html(array_of({highest, 1}, {tridap::cyclic(highest - 1), tridap::block()}, {2, 1}));
  on::expect_says(page, "\"size\":\"9223372036854775807\"");
  on::expect_says(page, "\"block\":\"9223372036854775806\"");
  const Index exact = (Index{1} << 53) - 1;
  on::expect_says(draw_html(array_of({exact}, {tridap::block()}, {1})), "\"size\":9007199254740991,");
  on::expect_says(draw_html(array_of({exact + 1}, {tridap::block()}, {1})), "\"size\":\"9007199254740992\"");
}

TEST(DrawHtml, TextFromOutsideStaysText) {
  PageArray array = array_of({4}, {tridap::block()}, {2});
  array.title = "</script><script>{{data}}&\u2028\u2029\x01\xff";
  const std::string page = draw_html(array), plain = draw_html(array_of({4}, {tridap::block()}, {2}));
  const auto count = [](const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  for (const std::string part : {"<script", "</script", "<!--", "\u2028", "\x01", "\xff"})
    EXPECT_EQ(count(page, part), count(plain, part)) << part;
  const Value data = data_of(page);
  EXPECT_EQ(data.find("arrays")->element(0).find("title")->as<std::string>()->substr(0, 26),
            "</script><script>{{data}}&");
  EXPECT_NE(page.find("<title>&lt;/script&gt;&lt;script&gt;{{data}}&amp;"), std::string::npos);
}

TEST(DrawHtml, ArraysThatCannotMoveSayWhy) {
  const PageArray line = array_of({12}, {tridap::block()}, {2});
  EXPECT_EQ(why(line, line), "");
  EXPECT_EQ(why(line, array_of({11}, {tridap::block()}, {2})),
            "Nothing can move between them: axis 0 has size 12 in the first array and 11 in the second.");
  EXPECT_EQ(why(line, array_of({12, 1}, {tridap::block(), tridap::whole()}, {2, 1})),
            "Nothing can move between them: the first array has 1 axis, the second has 2.");
  const PageArray listed = array_of({2}, {tridap::unstructured({{0}, {50}})}, {2});
  EXPECT_EQ(why(line, listed),
            "Nothing can move between them: no process of the second array holds index 1 of axis 0.");
  EXPECT_EQ(why(listed, array_of({1}, {tridap::unstructured({{0}})}, {1})),
            "Nothing can move between them: no process of the second array holds index 50 of axis 0.");
  EXPECT_EQ(why(array_of({1}, {tridap::unstructured({{0}})}, {1}), listed),
            "Nothing can move between them: no process of the first array holds index 50 of axis 0.");
}

TEST(DrawHtml, WhatWouldBeLongIsNotCounted) {
  const Index many = Index{1} << 40;
  const PageArray blocks = array_of({many}, {tridap::block()}, {many / 2});
  on::expect_says(why(blocks, blocks), "axis 0 has too many blocks or processes");
  on::expect_says(why(blocks, array_of({1}, {tridap::unstructured({{0}})}, {1})), "too many");
  const PageArray dealt = array_of({100 * many}, {tridap::cyclic(999983)}, {1000});
  on::expect_says(why(dealt, array_of({100 * many}, {tridap::cyclic(1000003)}, {1000})), "too many");
  EXPECT_EQ(why(dealt, dealt), "");
  EXPECT_LT(draw_html(dealt, dealt).size(), 150'000U);
}

TEST(DrawHtml, AnArrayOfNoAxesOrNoElementsOrNoTypeIsShown) {
  const PageArray point = array_of({}, {}, {});
  EXPECT_EQ(bytes_of_page(point, point), (std::map<std::pair<Index, Index>, Index>{{{0, 0}, 8}}));
  const PageArray empty = array_of({0, 5}, {tridap::block(), tridap::cyclic()}, {2, 3});
  EXPECT_TRUE(bytes_of_page(empty, empty).empty());
  PageArray untyped = array_of({4}, {tridap::block()}, {2});
  untyped.type = std::nullopt;
  const Value shown = data_of(draw_html(untyped)).find("arrays")->element(0);
  EXPECT_TRUE(shown.find("element")->is_null());
  EXPECT_EQ(number(*shown.find("bytes")), 1);
}

}  // namespace
