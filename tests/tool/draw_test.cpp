#include "support/oracle.hpp"
#include "support/thrown.hpp"
#include "tool/support.hpp"
#include <tridap/draw.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace {

using oracle::Array;
using oracle::List;
using reader::Svg;
using reader::SvgCell;
using reader::Text;
using tridap::Axis;
using tridap::Distribution;
using tridap::draw_svg;
using tridap::draw_text;
using tridap::Index;
using tridap::Part;
using tridap::SvgStyle;
using tridap::TextStyle;
using Words = std::vector<std::string>;

/// Who owns what, element by element.
struct Truth {
  explicit Truth(Array of) : array(std::move(of)) {
    for (Index p = 0; p < array.processes(); ++p)
      for (const auto& element : array.elements(p, Part::owned)) owners[element.global].insert(p);
    for (const oracle::Axis& axis : array.axes) {
      std::set<Index> held;
      for (const List& list : axis.held) held.insert(list.begin(), list.end());
      indices.emplace_back(held.begin(), held.end());
    }
  }
  /// What a cell must say that stands for one element.
  std::string cell(const List& global) const {
    const std::set<Index>& all = owners.at(global);
    return std::to_string(*all.begin()) + (all.size() > 1 ? "+" : "");
  }
  /// Whether a cell that stands for these may say so: what is one owner's must be said to be.
  bool right(const std::string& cell, const std::vector<List>& globals) const {
    std::set<Index> all, common = owners.at(globals.front());
    for (const List& global : globals) {
      const std::set<Index>&here = owners.at(global), before = common;
      all.insert(here.begin(), here.end());
      for (Index p : before)
        if (here.count(p) == 0) common.erase(p);
    }
    if (all.size() == 1) return cell == std::to_string(*all.begin());
    if (cell == "*") return globals.size() > 1;
    return cell.back() == '+' && common.count(std::stoll(cell)) > 0;
  }
  bool boundary(const List& global) const {
    for (std::size_t i = 0; i < global.size(); ++i) {
      const oracle::Axis& axis = array.axes[i];
      if (axis.dims[0].dist_type() != 'b') continue;
      const std::array<Index, 2> none = {0, 0};
      if (global[i] < std::get<tridap::Block>(axis.dims.front().dist).padding.value_or(none)[0]) return true;
      if (global[i] >= axis.size() - std::get<tridap::Block>(axis.dims.back().dist).padding.value_or(none)[1])
        return true;
    }
    return false;
  }

  Array array;
  std::map<List, std::set<Index>> owners;
  std::vector<List> indices;  // of each axis, that somebody holds
};

std::vector<Array> small_arrays() {
  std::vector<Array> all = {Array({})};
  for (Index size = 0; size <= 12; ++size)
    for (Index block = 1; block <= 4; ++block)
      for (Index grid = 1; grid <= 5; ++grid) all.push_back(Array({oracle::cyclic(size, block, grid, grid - 1)}));
  for (Index grid = 1; grid <= 4; ++grid)
    for (const List& counts : oracle::splits(5, grid)) all.push_back(Array({oracle::block(counts)}));
  for (const oracle::Axis& rows : oracle::mixed_axes()) {
    all.push_back(Array({rows}));
    for (const oracle::Axis& columns : oracle::mixed_axes()) all.push_back(Array({rows, columns}));
  }
  all.push_back(Array({oracle::unstructured({{}, {}}), oracle::block({2, 1})}));
  all.push_back(Array({oracle::block({3, 3, 4}, {2, 3}, {1, 2}), oracle::block({4, 4}, {2}, {2, 1}, true)}));
  return all;
}

/// The cells of a drawing that is wide enough for one line of each axis, row by row, and the labels of its rows.
Words cells_of(const Text& drawing, Index ndim, Words* labels = nullptr) {
  Words cells;
  if (drawing.parts[1].at(0) == "  (no elements)") return cells;
  for (std::size_t line = ndim == 0 ? 0 : 1; line < drawing.parts[1].size(); ++line) {
    Words words = drawing.words(line);
    if (ndim == 2) {
      if (labels != nullptr) labels->push_back(words.front());
      words.erase(words.begin());
    }
    cells.insert(cells.end(), words.begin(), words.end());
  }
  return cells;
}

Words strings(const List& numbers) {
  Words words;
  for (Index number : numbers) words.push_back(std::to_string(number));
  return words;
}

/// One element for each row, column: what the cells must say, row by row.
Words expected_cells(
    const Truth& truth, const std::function<bool(const List&)>& shown = [](const List&) { return true; }) {
  List shape;
  for (const List& of_axis : truth.indices) shape.push_back(static_cast<Index>(of_axis.size()));
  Words expected;
  oracle::for_each_index(shape, [&](const List& at) {
    List global;
    for (std::size_t i = 0; i < at.size(); ++i) global.push_back(truth.indices[i][static_cast<std::size_t>(at[i])]);
    if (shown(global)) expected.push_back(truth.cell(global));
  });
  return expected;
}

Words owners_of(const std::vector<SvgCell>& cells) {
  Words owners;
  for (const SvgCell& cell : cells) owners.push_back(cell.owner);
  return owners;
}

TEST(DrawText, EveryCellNamesItsOwner) {
  TextStyle wide;
  wide.columns = 400;
  for (const Array& array : small_arrays()) {
    const Truth truth(array);
    const std::string drawn = draw_text(array.distribution(), wide);
    Words labels;
    ASSERT_EQ(cells_of(Text(drawn), array.distribution().ndim(), &labels), expected_cells(truth)) << drawn;
    if (array.axes.size() == 2 && !labels.empty()) {
      ASSERT_EQ(labels, strings(truth.indices[0])) << drawn;
    }
  }
}

TEST(DrawText, ColourChangesNothingButColour) {
  TextStyle wide, coloured;
  wide.columns = coloured.columns = 400;
  coloured.colour = true;
  for (const Array& array : small_arrays()) {
    const std::string plain = draw_text(array.distribution(), wide);
    std::string stripped = draw_text(array.distribution(), coloured);
    ASSERT_EQ(plain.find('\x1b'), std::string::npos);
    for (std::size_t at; (at = stripped.find('\x1b')) != std::string::npos;)
      stripped.erase(at, stripped.find('m', at) + 1 - at);
    ASSERT_EQ(cells_of(Text(stripped), array.distribution().ndim()),
              cells_of(Text(plain), array.distribution().ndim()));
  }
}

TEST(DrawText, TwentyFourProcessesInARowHaveTheirOwnColours) {
  TextStyle style;
  style.columns = 400;
  style.colour = true;
  const std::string cells = Text(draw_text(Array({oracle::cyclic(24, 1, 24)}).distribution(), style)).parts[1].at(1);
  std::set<std::string> colours;
  for (std::size_t at = 0; (at = cells.find("48;5;", at)) != std::string::npos; ++at)
    colours.insert(cells.substr(at, cells.find(';', at + 5) - at));
  EXPECT_EQ(colours.size(), 24u);
}

TEST(DrawText, LongAxisTakesLinesThatBeginWithTheirFirstIndex) {
  const Truth truth(Array({oracle::cyclic(100, 7, 3)}));
  const std::string drawn = draw_text(truth.array.distribution());
  const Text text(drawn);
  Words cells;
  for (std::size_t line = 0; line < text.parts[1].size(); ++line) {
    Words words = text.words(line);
    EXPECT_EQ(words.front(), std::to_string(cells.size())) << drawn;
    cells.insert(cells.end(), words.begin() + 1, words.end());
  }
  EXPECT_EQ(text.parts[1].size(), 4u);
  EXPECT_EQ(cells, expected_cells(truth)) << drawn;
}

/// Many axes, longer than a small drawing has room for.
std::vector<oracle::Axis> long_axes() {
  std::vector<oracle::Axis> axes;
  for (Index size : {17, 24, 31, 48, 60})
    for (Index block : {1, 3, 8, 20})
      for (Index grid : {1, 2, 3, 7}) axes.push_back(oracle::cyclic(size, block, grid, grid / 2));
  for (const List& counts : {List{20, 20, 20}, {1, 50}, {0, 17, 0, 0, 13}, {7, 7, 7, 7, 6, 6}, {40}, List(40, 1)})
    axes.push_back(oracle::block(counts));
  axes.push_back(oracle::block({20, 21, 19}, {3, 2}, {2, 1}));
  List odd, even, all;
  for (Index i = 0; i < 25; ++i) {
    odd.push_back(70 - 2 * i + 1);
    even.push_back(4 * i - 30);
    all.push_back(i * i);
  }
  axes.push_back(oracle::unstructured({odd, even, {999}}));
  axes.push_back(oracle::unstructured({all, {4, 9, 16, 5}}));
  return axes;
}

/// The indices of each band, where bands begin at these labels.
std::vector<List> bands(const List& indices, const Words& labels) {
  std::vector<List> all;
  for (Index index : indices) {
    if (all.size() < labels.size() && std::to_string(index) == labels[all.size()]) all.emplace_back();
    if (all.empty()) return {};
    all.back().push_back(index);
  }
  return all.size() == labels.size() ? all : std::vector<List>{};
}

TEST(DrawText, CellsOfSeveralElementsNameASoleOwnerOnlyWhereThereIsOne) {
  for (const oracle::Axis& axis : long_axes())
    for (Index lines : {16, 20, 24}) {
      const Truth truth(Array({axis, oracle::block({1})}));
      TextStyle style;
      style.lines = lines;
      const std::string drawn = draw_text(truth.array.distribution(), style);
      Words labels;
      const Words cells = cells_of(Text(drawn), 2, &labels);
      ASSERT_EQ(cells.size(), labels.size()) << drawn;
      const std::vector<List> of_rows = bands(truth.indices[0], labels);
      ASSERT_EQ(of_rows.size(), labels.size()) << drawn;
      std::size_t largest = 0;
      for (std::size_t row = 0; row < of_rows.size(); ++row) {
        std::vector<List> elements;
        for (Index index : of_rows[row]) elements.push_back({index, 0});
        ASSERT_TRUE(truth.right(cells[row], elements)) << drawn;
        largest = std::max(largest, elements.size());
      }
      if (largest > 1) {
        ASSERT_NE(drawn.find("up to " + std::to_string(largest) + " x 1 elements"), std::string::npos) << drawn;
      }
      const bool mixed = std::count(cells.begin(), cells.end(), "*") > 0;
      ASSERT_EQ(drawn.find("* elements of several processes") != std::string::npos, mixed) << drawn;
    }
}

TEST(DrawText, FewerBordersThanLinesLeaveNoCellMixed) {
  TextStyle style;
  style.columns = 60;
  const Distribution d = Array({oracle::block({26, 26, 25, 25, 25}), oracle::cyclic(200, 30, 3)}).distribution();
  EXPECT_EQ(draw_text(d, style).find('*'), std::string::npos);
}

TEST(DrawText, FitsItsColumnsAndLines) {
  std::vector<Array> arrays = small_arrays();
  for (const oracle::Axis& axis : long_axes()) arrays.push_back(Array({axis, oracle::cyclic(90, 1, 11)}));
  for (const Array& array : arrays)
    for (const auto& [columns, lines] : {std::pair<Index, Index>{80, 24}, {60, 20}, {200, 60}}) {
      TextStyle style;
      style.title = "a title";
      style.columns = columns;
      style.lines = lines;
      const std::string drawn = draw_text(array.distribution(), style);
      std::istringstream in(drawn);
      Index count = 0;
      for (std::string line; std::getline(in, line); ++count)
        ASSERT_LE(static_cast<Index>(line.size()), columns) << drawn;
      ASSERT_LE(count, lines) << drawn;
    }
}

TEST(DrawText, LegendCountsWhatEachProcessOwnsAndPadsWith) {
  const std::string drawn = draw_text(Array({oracle::block({9, 9}, {1}, {1, 1})}).distribution());
  on::expect_says(drawn, "18 elements, padded block over 2 processes");
  on::expect_says(drawn, "0 (0)  9 + 1    1 (1)  9 + 1");
  const std::string shared = draw_text(Array({oracle::unstructured({{4, 1}, {1, 9}})}).distribution());
  on::expect_says(shared, "0+");
  on::expect_says(shared, "+ held by other processes too");
}

TEST(Draw, SlicesShowTwoAxesAndFixTheOthers) {
  TextStyle text;
  SvgStyle svg;
  text.columns = 400;
  const std::vector<oracle::Axis> axes = oracle::mixed_axes();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Truth truth(Array({axes[i], axes[(i + 3) % 8], axes[(i + 5) % 8]}));
    const Distribution d = truth.array.distribution();
    for (std::size_t fixed = 0; fixed < 3; ++fixed)
      for (Index at : truth.indices[fixed]) {
        text.section = tridap::Section(3);
        text.section[fixed] = at;
        svg.section = text.section;
        const Words expected = expected_cells(truth, [&](const List& global) { return global[fixed] == at; });
        ASSERT_EQ(cells_of(Text(draw_text(d, text)), 2), expected);
        ASSERT_EQ(owners_of(Svg(draw_svg(d, svg)).global), expected);
      }
  }
}

TEST(Draw, ArrayOfThreeAxesShowsTheLastTwoAndSaysSo) {
  const Truth truth(Array({oracle::unstructured({{7}, {-3}}), oracle::block({2, 1}), oracle::cyclic(3, 1, 2)}));
  const Words expected = expected_cells(truth, [](const List& global) { return global[0] == -3; });
  const Distribution d = truth.array.distribution();
  const std::string drawn = draw_text(d);
  EXPECT_EQ(cells_of(Text(drawn), 2), expected);
  on::expect_says(drawn,
                  "Slice [-3, :, :]: axis 1 runs down, axis 2 across, the others are fixed at their\nfirst index");
  const Svg svg(draw_svg(d));
  EXPECT_EQ(owners_of(svg.global), expected);
  EXPECT_TRUE(svg.says("Slice [-3, :, :]"));
  EXPECT_TRUE(svg.says("first index"));
  EXPECT_EQ(svg.local.size(), 4u);
  EXPECT_EQ(svg.local.begin()->first, 4);
}

TEST(Draw, SliceThatDoesNotFitIsRefused) {
  const Distribution d =
      Array({oracle::block({2, 1}), oracle::unstructured({{5}, {9}}), oracle::block({4})}).distribution();
  const auto message = [&](const tridap::Section& slice) -> std::string {
    TextStyle style;
    style.section = slice;
    try {
      return draw_text(d, style);
    } catch (const tridap::Error& error) {
      return error.what();
    }
  };
  on::expect_says(message({0, 5}), "the slice names 2 axes, but the array has 3");
  on::expect_says(message({{}, {}, {}}), "the slice shows 3 axes");
  on::expect_says(message({{}, 6, {}}), "axis 1: the slice is fixed at 6, which no process holds");
  on::expect_says(message({3, {}, {}}), "axis 0: the slice is fixed at 3, which no process holds");
  EXPECT_EQ(Text(message({2, 9, 3})).words(0), Words{"3"});
}

TEST(DrawSvg, EveryCellNamesItsOwnerAndEveryPaddingIsHatched) {
  for (const Array& array : small_arrays()) {
    const Truth truth(array);
    const std::string drawn = draw_svg(array.distribution());
    const Svg svg(drawn);
    ASSERT_EQ(owners_of(svg.global), expected_cells(truth));
    std::map<std::string, int> hatches = {{"communication", 0}, {"boundary", 0}, {"mixed", 0}};
    for (const SvgCell& cell : svg.global) hatches["boundary"] += cell.padding == "boundary";
    ASSERT_EQ(svg.local.size(), static_cast<std::size_t>(array.processes()));
    for (Index p = 0; p < array.processes(); ++p) {
      std::set<List> owned;
      for (const auto& element : array.elements(p, Part::owned)) owned.insert(element.local);
      const std::vector<SvgCell>& cells = svg.local.at(p);
      const auto elements = array.elements(p, Part::local);
      ASSERT_EQ(cells.size(), elements.size());
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const bool mine = owned.count(elements[i].local) > 0;
        const std::string padding = !mine ? "communication" : truth.boundary(elements[i].global) ? "boundary" : "";
        ASSERT_EQ(cells[i].padding, padding) << drawn;
        ASSERT_TRUE(truth.right(cells[i].owner, {elements[i].global})) << drawn;
        ASSERT_EQ(std::stoll(cells[i].owner) == p, mine) << drawn;
        if (!padding.empty()) ++hatches[padding];
      }
    }
    ASSERT_EQ(svg.hatches, hatches);
    ASSERT_EQ(svg.says("communication padding:"), hatches["communication"] > 0);
    ASSERT_EQ(svg.says("boundary padding"), hatches["boundary"] > 0);
  }
}

TEST(DrawSvg, BoundaryOfTheGlobalArrayIsHatched) {
  const Truth truth(Array({oracle::block({3, 3}, {1}, {1, 2}), oracle::block({4, 3}, {2}, {2, 1}, true)}));
  const Svg svg(draw_svg(truth.array.distribution()));
  ASSERT_EQ(svg.global.size(), truth.owners.size());
  auto cell = svg.global.begin();
  for (const auto& [global, owners] : truth.owners)
    EXPECT_EQ((cell++)->padding, truth.boundary(global) ? "boundary" : "");
  EXPECT_TRUE(svg.says("it mirrors the other end"));
}

TEST(DrawSvg, CellsOfSeveralElementsNameASoleOwnerOnlyWhereThereIsOne) {
  const std::vector<oracle::Axis> axes = long_axes();
  for (std::size_t i = 0; i < axes.size(); i += 5)
    for (Index most : {1, 3, 10}) {
      const oracle::Axis& axis = axes[i];
      const Truth truth(Array({axis, axis}));  // the bands of the columns are those of the rows
      SvgStyle style;
      style.cells = most;
      const Svg svg(draw_svg(truth.array.distribution(), style));
      ASSERT_LE(static_cast<Index>(svg.rows.size()), most);
      const std::vector<List> of_axis = bands(truth.indices[0], svg.rows);
      ASSERT_EQ(of_axis.size(), svg.rows.size());
      ASSERT_EQ(svg.global.size(), of_axis.size() * of_axis.size());
      auto cell = svg.global.begin();
      for (const List& rows : of_axis)
        for (const List& columns : of_axis) {
          std::vector<List> elements;
          for (Index row : rows)
            for (Index column : columns) elements.push_back({row, column});
          ASSERT_TRUE(truth.right((cell++)->owner, elements));
        }
    }
}

TEST(DrawSvg, NoMoreCellsThanWanted) {
  for (const oracle::Axis& axis : {oracle::block({7, 7, 7}), oracle::block({1, 9, 2}), oracle::cyclic(23, 5, 2),
                                   oracle::cyclic(11, 1, 3), oracle::unstructured({{5, 1, 8, 9}, {2, 30, 4}})})
    for (Index most = 1; most <= 24; ++most) {
      SvgStyle style;
      style.cells = most;
      const Distribution d = Array({axis, oracle::block({1})}).distribution();
      const auto drawn = static_cast<Index>(Svg(draw_svg(d, style)).global.size());
      EXPECT_LE(drawn, std::min(most, axis.size()));
      EXPECT_GE(4 * drawn, std::min(most, axis.size()));  // nor much fewer
    }
}

TEST(DrawSvg, LocalCellsOfSeveralElementsKeepPaddingApart) {
  const oracle::Axis axis = oracle::block({100, 120, 100}, {3, 40}, {2, 1});
  const Truth truth(Array({axis, axis}));
  const Svg svg(draw_svg(truth.array.distribution()));
  ASSERT_EQ(svg.local.size(), 9u);
  for (const auto& [process, cells] : svg.local) {
    std::set<std::string> kinds;
    for (const SvgCell& cell : cells) {
      kinds.insert(cell.padding);
      EXPECT_EQ(cell.owner == std::to_string(process), cell.padding != "communication");
    }
    EXPECT_EQ(kinds.count("communication"), 1u);
    EXPECT_EQ(kinds.count("boundary"), process == 4 ? 0u : 1u);
    EXPECT_EQ(kinds.count(""), 1u);
  }
}

TEST(Draw, TextFromOutsideIsMadeHarmless) {
  const Distribution d = Array({oracle::block({1, 1})}).distribution();
  SvgStyle svg;
  TextStyle text;
  svg.title = text.title = "<script>&\"' ]]> \x1b[31m\xff\xc3\xa9\xed\xa0\x80\xef\xbf\xbf\xc2\x9b end\n";
  const std::string drawn = draw_svg(d, svg);
  const Svg read(drawn);  // strict
  EXPECT_EQ(drawn.find("<script"), std::string::npos);
  const std::string wrong = "\xef\xbf\xbd";
  EXPECT_EQ(read.elements[1].text, "<script>&\"' ]]> " + wrong + "[31m" + wrong + "\xc3\xa9" + wrong + wrong + wrong +
                                       wrong + wrong + wrong + wrong + wrong + " end" + wrong);
  const std::string characters = draw_text(d, text);
  EXPECT_EQ(characters.find('\x1b'), std::string::npos);
  EXPECT_EQ(characters.find('\xff'), std::string::npos);
  EXPECT_EQ(characters.find("\xc2\x9b"), std::string::npos);
  on::expect_says(characters, "\xc3\xa9");
}

/// Blocks of equal size, or blocks of `block_size` dealt, without writing elements down.
Axis regular(char kind, Index size, Index grid, Index block_size = 1) {
  std::vector<tridap::Dimension> dimensions;
  for (Index c = 0; c < grid; ++c) {
    tridap::Dimension d = oracle::dimension(size, grid, c);
    const Index share = size / grid;
    if (kind == 'b')
      d.dist = tridap::Block{c * share, c + 1 == grid ? size : (c + 1) * share, {}};
    else
      d.dist = tridap::Cyclic{tridap::checked_multiply(c, block_size).value_or(size), block_size};
    dimensions.push_back(d);
  }
  return Axis(dimensions);
}

TEST(Draw, HugeArraysGiveSmallDrawings) {
  const Index huge = Index{1} << 62, largest = std::numeric_limits<Index>::max();
  const std::vector<Axis> axes = {regular('b', huge, 3), regular('c', huge, 7, 1000), regular('c', huge, 5, huge / 11),
                                  regular('b', largest, 1), regular('c', largest, 2, largest - 1)};
  for (const Axis& rows : axes) {
    EXPECT_LT(draw_text(Distribution({rows})).size(), 10'000u);
    EXPECT_LT(draw_svg(Distribution({rows})).size(), 1'000'000u);
    for (const Axis& columns : axes) {
      const Distribution d({rows, columns});
      EXPECT_LT(draw_text(d).size(), 10'000u);
      const std::string drawn = draw_svg(d);
      EXPECT_LT(drawn.size(), 2'000'000u);
      EXPECT_LE(Svg(drawn).global.size(), 48u * 48u);
    }
  }
  const Svg halves(draw_svg(Distribution({regular('b', huge, 2), regular('b', huge, 2)})));
  EXPECT_EQ(halves.hatches.at("mixed"), 0);
}

TEST(Draw, ManyProcessesAreShortenedAndCounted) {
  const Axis thousand = regular('b', 123'456'789, 1000), many = regular('c', Index{1} << 62, 100'000);
  for (const Distribution& d : {Distribution({thousand, thousand}), Distribution({many}), Distribution({many, many})}) {
    const std::string drawn = draw_text(d);
    EXPECT_LT(drawn.size(), 10'000u);
    const std::size_t more = drawn.find("  and ");
    ASSERT_NE(more, std::string::npos) << drawn;
    Index listed = 0;
    for (const std::string& line : Text(drawn).parts[2])
      if (line[0] == ' ') listed += std::count(line.begin(), line.end(), '(');
    EXPECT_GT(listed, 10);
    EXPECT_EQ(d.processes() - std::stoll(drawn.substr(more + 6)), listed) << drawn;
    const std::string svg_drawn = draw_svg(d);
    EXPECT_LT(svg_drawn.size(), 2'000'000u);
    const Svg svg(svg_drawn);
    EXPECT_TRUE(svg.says("and " + std::to_string(d.processes() - 64) + " more processes"));  // the legend
    EXPECT_LE(svg.local.size(), 64u);
    EXPECT_TRUE(
        svg.says("and " + std::to_string(d.processes() - static_cast<Index>(svg.local.size())) + " more processes"));
  }
}

TEST(DrawSvg, NoMoreProcessesThanWanted) {
  SvgStyle style;
  style.processes = 5;
  const Svg svg(draw_svg(Array({oracle::cyclic(9, 1, 4), oracle::cyclic(9, 1, 4)}).distribution(), style));
  EXPECT_LE(svg.local.size(), 5u);
  EXPECT_TRUE(svg.says("and 11 more processes"));
  EXPECT_TRUE(svg.says("and " + std::to_string(16 - svg.local.size()) + " more processes"));
}

TEST(DrawSvg, RefersToNoOtherFile) {
  const std::string drawn = draw_svg(Array({oracle::block({2, 1})}).distribution());
  for (const char* foreign : {"<script", "href", "@import", "@font-face", "<image"})
    EXPECT_EQ(drawn.find(foreign), std::string::npos) << foreign;
  const Svg svg(drawn);
  EXPECT_EQ(svg.elements[0].name, "svg");
  EXPECT_EQ(svg.elements[0].at("viewBox"), "0 0 " + svg.elements[0].at("width") + " " + svg.elements[0].at("height"));
}

}  // namespace
