#include "support/oracle.hpp"
#include "svg_paper.hpp"
#include "tool/support.hpp"
#include <tridap/compare.hpp>
#include <tridap/draw.hpp>
#include <tridap/make.hpp>

#include <gtest/gtest.h>

#include <random>

namespace {

using reader::Element;
using reader::Svg;
using tridap::Distribution;
using tridap::draw_small_svg;
using tridap::draw_svg;
using tridap::Index;
using tridap::SvgStyle;
using tridap::drawing::Cell;
using tridap::drawing::Ownership;
using tridap::drawing::Tile;
using List = std::vector<Index>;

constexpr std::size_t most_bytes = 40000;
constexpr Index most_pixels = 900;

Index length(const Element& element, const char* name) { return std::stoll(element.at(name)); }

/// Whether draw_svg() is small enough as it is.
bool is_small(const std::string& drawn) {
  const Element page = Svg(drawn).elements[0];
  return drawn.size() < most_bytes && length(page, "width") <= most_pixels && length(page, "height") <= most_pixels;
}

std::vector<Distribution> layouts() {
  std::vector<Distribution> all;
  const auto add = [&](const List& shape, const std::vector<tridap::AxisSpec>& specs, const List& grid) {
    all.push_back(Distribution::make(shape, specs, grid));
  };
  const tridap::AxisSpec block = tridap::block(), cyclic = tridap::cyclic(), padded = tridap::padded_block(2, true);
  add({}, {}, {});
  add({9}, {block}, {4});
  add({5, 3}, {block, cyclic}, {2, 2});
  add({7, 24}, {block, block}, {1, 2});  // few pixels, but many bytes
  for (const Index processes : {1, 64, 3000}) {
    add({1000}, {cyclic}, {processes});
    add({1000000}, {block}, {processes});
    add({1000000, 3}, {block, tridap::whole()}, {processes, 1});
    add({3, 1000000}, {tridap::whole(), tridap::cyclic(999)}, {1, processes});
    add({processes * 10 + 4}, {padded}, {processes});
    std::vector<List> lists(static_cast<std::size_t>(processes));
    for (Index i = 0; i < 5000; ++i) lists[static_cast<std::size_t>(i * i % processes)].push_back(i * 1000003);
    add({5000}, {tridap::unstructured(lists)}, {processes});
  }
  for (const Index side : {1, 2, 6, 8, 300})
    for (const auto& [rows, columns] : {std::pair(block, block), {block, cyclic}, {cyclic, cyclic}, {padded, padded}})
      for (const Index extent : {30, 49, 4096}) {
        const auto* const blocks = std::get_if<tridap::BlockSpec>(&rows);
        if (extent >= 5 * side || blocks == nullptr || blocks->padding == 0)  // blocks as long as their padding
          add({extent, extent}, {rows, columns}, {side, side});
      }
  add(List(60, 2), std::vector<tridap::AxisSpec>(60, tridap::whole()), List(60, 1));
  add({7, 90, 80, 70}, {cyclic, block, block, cyclic}, {3, 5, 6, 7});
  return all;
}

TEST(DrawSmallSvg, IsAlwaysSmallAndShowsEveryOwnerItHasRoomFor) {
  SvgStyle style;
  for (const Distribution& layout : layouts()) {
    style.title = style.title.empty() ? "a title" : "";  // on every second one
    const std::string drawn = draw_small_svg(layout, style), large = draw_svg(layout, style);
    EXPECT_TRUE(is_small(drawn)) << tridap::describe(layout) << " " << drawn.size() << drawn.substr(0, 200);
    EXPECT_EQ(drawn == large, is_small(large)) << tridap::describe(layout);
    const Svg svg(drawn);
    EXPECT_GE(svg.local.size(), 1u);
    EXPECT_TRUE(style.title.empty() || svg.says(style.title));
  }
}

/// One cell for each element: the rectangle at the centre of each cell has the element's owner.
TEST(DrawSmallSvg, RectanglesHaveTheOwnersOfTheElementsThatTheyCover) {
  for (const oracle::Axis& columns :
       {oracle::block({12, 12}), oracle::block({1, 7, 0, 16}), oracle::cyclic(24, 5, 3), oracle::cyclic(24, 1, 2)}) {
    const oracle::Array truth({oracle::block({6, 17, 1}), columns});
    const std::string drawn = draw_small_svg(truth.distribution());
    const Svg svg(drawn);
    ASSERT_FALSE(svg.says("margins; each cell represents")) << drawn.substr(0, 300);
    std::vector<Element> cells;
    bool local = false;
    for (const Element& element : svg.elements) {
      local = local || element.is("local");
      if (element.is("cell") && !local) cells.push_back(element);
    }
    EXPECT_LT(cells.size(), 576u);
    Index left = 1 << 20, top = left, right = 0;
    for (const Element& cell : cells) {
      left = std::min(left, length(cell, "x"));
      top = std::min(top, length(cell, "y"));
      right = std::max(right, length(cell, "x") + length(cell, "width"));
    }
    const Index side = (right - left + 23) / 24;
    for (Index row = 0; row < 24; ++row)
      for (Index column = 0; column < 24; ++column) {
        const Index x = left + column * side + side / 2, y = top + row * side + side / 2;
        List owners;
        for (const Element& cell : cells)
          if (x >= length(cell, "x") && x < length(cell, "x") + length(cell, "width") && y >= length(cell, "y") &&
              y < length(cell, "y") + length(cell, "height"))
            owners.push_back(std::stoll(cell.at("data-owner")));
        ASSERT_EQ(owners, List{truth.axes[0].owners(row)[0] * truth.axes[1].grid() + truth.axes[1].owners(column)[0]})
            << row << " " << column;
      }
  }
}

bool alike(const Cell& a, const Cell& b) {
  const bool both_mixed = a.ownership == Ownership::mixed && b.ownership == Ownership::mixed;
  return (both_mixed || a.process == b.process) && a.ownership == b.ownership && a.communication == b.communication &&
         a.boundary == b.boundary;
}

TEST(Tiles, CoverEveryCellOnceWithItsLooks) {
  std::mt19937 random(4);
  for (int repeat = 0; repeat < 300; ++repeat) {
    const Index rows = static_cast<Index>(random() % 6), columns = static_cast<Index>(random() % 6);
    std::vector<Cell> cells(static_cast<std::size_t>(rows * columns));
    for (Cell& cell : cells) {
      cell.process = static_cast<Index>(random() % 2);
      cell.ownership = static_cast<Ownership>(random() % 12 / 5);
      cell.communication = random() % 5 == 0;
      cell.boundary = random() % 5 == 0;
    }
    const auto at = [&](Index row, Index column) { return cells[static_cast<std::size_t>(row * columns + column)]; };
    for (const bool merge : {false, true}) {
      std::vector<int> covered(cells.size(), 0);
      const std::vector<Tile> tiles = tridap::drawing::tiles_of(rows, columns, merge, at);
      for (const Tile& tile : tiles)
        for (Index row = tile.row; row < tile.row + tile.rows; ++row)
          for (Index column = tile.column; column < tile.column + tile.columns; ++column) {
            ++covered[static_cast<std::size_t>(row * columns + column)];
            EXPECT_TRUE(alike(tile.cell, at(row, column)));
          }
      EXPECT_EQ(covered, std::vector<int>(cells.size(), 1));
      EXPECT_TRUE(merge || tiles.size() == cells.size());
      for (std::size_t i = 1; merge && i < tiles.size(); ++i)
        if (tiles[i].row == tiles[i - 1].row) {
          EXPECT_FALSE(alike(tiles[i].cell, tiles[i - 1].cell));
        }
    }
  }
}

TEST(Tiles, EqualRowsAreOneRowOfTiles) {
  const auto quarters = [](Index row, Index column) { return Cell{2 * (row / 3) + column / 2}; };
  const std::vector<Tile> tiles = tridap::drawing::tiles_of(6, 4, true, quarters);
  ASSERT_EQ(tiles.size(), 4u);
  for (const Tile& tile : tiles) EXPECT_EQ(tile.rows * 10 + tile.columns, 32);
}

}  // namespace
