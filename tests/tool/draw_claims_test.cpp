#include "support/oracle.hpp"
#include "support/thrown.hpp"
#include <tridap/draw_claims.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace {

using oracle::List;
using tridap::Capture;
using tridap::Index;
using tridap::TextStyle;

/// One process's entry: its dictionaries, as JSON.
std::string process(Index rank, const std::string& dims, const std::string& version = "0.10.0") {
  return R"({"rank": )" + std::to_string(rank) + R"(, "__version__": ")" + version + R"(", "dim_data": [)" + dims +
         R"(], "buffer": {"dtype": "int8", "shape": [1]}})";
}

std::string block(Index size, Index grid, Index coordinate, Index start, Index stop, const std::string& more = "") {
  return R"({"dist_type": "b", "size": )" + std::to_string(size) + R"(, "proc_grid_size": )" + std::to_string(grid) +
         R"(, "proc_grid_rank": )" + std::to_string(coordinate) + R"(, "start": )" + std::to_string(start) +
         R"(, "stop": )" + std::to_string(stop) + more + "}";
}

Capture capture_of(const std::vector<std::string>& processes) {
  std::string text;
  for (const std::string& one : processes) text += (text.empty() ? "" : ", ") + one;
  return tridap::read_capture("{\"processes\": [" + text + "]}");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// What a drawing of one axis says, with three characters for each element.
struct Drawn {
  std::map<Index, std::string> strips;  // by rank, one character for each element
  std::string marks;
  std::vector<std::string> lines;

  explicit Drawn(const std::string& text) : lines(lines_of(text)) {
    static const std::regex strip("  rank ([0-9]+) +([.o+#]*)  .*"), mark(" {12}([ ?!]*[?!])");
    for (const std::string& line : lines) {
      std::smatch found;
      if (std::regex_match(line, found, strip)) strips[std::stoll(found[1])] = thinned(found[2]);
      if (std::regex_match(line, found, mark)) marks = thinned(found[1]);
    }
  }
  static std::string thinned(const std::string& wide) {
    std::string thin;
    for (std::size_t i = 0; i < wide.size(); i += 3) {
      EXPECT_EQ(wide.substr(i, 3), std::string(3, wide[i]));
      thin += wide[i];
    }
    return thin;
  }
  bool says(const std::string& wanted) const {
    return std::find(lines.begin(), lines.end(), "  " + wanted) != lines.end();
  }
};

std::string range_text(Index begin, Index end) {
  return "[" + std::to_string(begin) + ", " + std::to_string(end) + ")";
}

/// All blocks that the processes may state: the drawing, the list of gaps and overlaps, and `claims_of`, element by
/// element.
void expect_claims(Index size, const std::vector<std::array<Index, 2>>& stated) {
  const auto grid = static_cast<Index>(stated.size());
  std::vector<std::string> processes;
  for (Index p = 0; p < grid; ++p) {
    const auto [start, stop] = stated[static_cast<std::size_t>(p)];
    processes.push_back(process(p, block(size, grid, p, start, stop)));
  }
  const Capture capture = capture_of(processes);
  const Drawn drawn(tridap::draw_claims(capture));
  std::string marks;
  std::vector<std::set<Index>> owners;
  for (Index g = 0; g < size; ++g) {
    owners.emplace_back();
    for (Index p = 0; p < grid; ++p) {
      const auto [start, stop] = stated[static_cast<std::size_t>(p)];
      if (start <= g && g < stop) owners.back().insert(p);
    }
    marks += owners.back().empty() ? '?' : owners.back().size() > 1 ? '!' : ' ';
    const std::vector<tridap::Claim> claims = tridap::claims_of(capture, {g});
    std::set<Index> found;
    for (const tridap::Claim& claim : claims) {
      found.insert(claim.process);
      EXPECT_FALSE(claim.padding);
      EXPECT_EQ(claim.local, List{g - stated[static_cast<std::size_t>(claim.process)][0]});
    }
    ASSERT_EQ(found, owners.back());
  }
  for (Index p = 0; p < grid; ++p) {
    std::string strip;
    for (Index g = 0; g < size; ++g) strip += owners[static_cast<std::size_t>(g)].count(p) > 0 ? '#' : '.';
    ASSERT_EQ(drawn.strips.at(p), strip);
  }
  Index gaps = 0, overlaps = 0;
  for (Index g = 0; g < size; ++g) {  // a stretch with the same owners is one line
    Index end = g + 1;
    while (end < size && owners[static_cast<std::size_t>(end)] == owners[static_cast<std::size_t>(g)]) ++end;
    const std::set<Index>& here = owners[static_cast<std::size_t>(g)];
    if (here.empty()) {
      ++gaps;
      ASSERT_TRUE(drawn.says("gap " + range_text(g, end) + ": no process")) << ::testing::PrintToString(drawn.lines);
    } else if (here.size() == 2) {
      ++overlaps;
      ASSERT_TRUE(drawn.says("overlap " + range_text(g, end) + ": ranks " + std::to_string(*here.begin()) + " and " +
                             std::to_string(*here.rbegin())))
          << ::testing::PrintToString(drawn.lines);
    } else if (here.size() > 2) {
      ++overlaps;
      ASSERT_TRUE(drawn.says("overlap " + range_text(g, end) + ": ranks 0 to 2"));
    }
    g = end - 1;
  }
  marks.erase(marks.find_last_not_of(' ') + 1);
  ASSERT_EQ(drawn.marks, marks);
  ASSERT_EQ(drawn.says("no gap, no overlap"), gaps + overlaps == 0);
}

TEST(DrawClaims, EveryBlockThatProcessesMayStateIsDrawnWithGapsAndOverlaps) {
  for (Index grid = 1; grid <= 3; ++grid)
    for (Index size = 1; size <= 4; ++size) {
      std::vector<std::array<Index, 2>> blocks;
      for (Index start = 0; start <= size; ++start)
        for (Index stop = start; stop <= size; ++stop) blocks.push_back({start, stop});
      const List choices(static_cast<std::size_t>(grid), static_cast<Index>(blocks.size()));
      oracle::for_each_index(choices, [&](const List& chosen) {
        if (::testing::Test::HasFatalFailure()) return;
        std::vector<std::array<Index, 2>> stated;
        for (const Index i : chosen) stated.push_back(blocks[static_cast<std::size_t>(i)]);
        expect_claims(size, stated);
      });
    }
}

TEST(DrawClaims, PaddingIsDrawnInBothVersions) {
  for (const bool old : {false, true}) {
    std::vector<std::string> processes;
    for (Index p = 0; p < 3; ++p) {
      const Index start = 2 * p - (p > 0 && !old ? 1 : 0), stop = 2 * p + 2 + (p < 2 && !old ? 1 : 0);
      processes.push_back(process(p, block(6, 3, p, start, stop, ", \"padding\": [1, 1]"), old ? "0.9.0" : "0.10.0"));
    }
    const Capture capture = capture_of(processes);
    const Drawn drawn(tridap::draw_claims(capture));
    EXPECT_EQ(drawn.strips.at(0), "##o...");
    EXPECT_EQ(drawn.strips.at(1), ".o##o.");
    EXPECT_EQ(drawn.strips.at(2), "...o##");
    EXPECT_TRUE(drawn.says("no gap, no overlap"));
    const std::vector<tridap::Claim> claims = tridap::claims_of(capture, {2});
    ASSERT_EQ(claims.size(), 2u);
    EXPECT_TRUE(claims[0].padding);
    EXPECT_EQ(claims[0].local, List{2});
    EXPECT_FALSE(claims[1].padding);
    EXPECT_EQ(claims[1].local, List{1});
  }
}

std::string cyclic(Index size, Index grid, Index coordinate, Index start, Index block_size) {
  return R"({"dist_type": "c", "size": )" + std::to_string(size) + R"(, "proc_grid_size": )" + std::to_string(grid) +
         R"(, "proc_grid_rank": )" + std::to_string(coordinate) + R"(, "start": )" + std::to_string(start) +
         R"(, "block_size": )" + std::to_string(block_size) + "}";
}

TEST(DrawClaims, CyclicBlocksAreDrawnWhereTheyAreStated) {
  const Capture capture = capture_of({process(0, cyclic(9, 3, 0, 0, 2)), process(1, cyclic(9, 3, 1, 2, 2)),
                                      process(2, cyclic(9, 3, 2, 2, 2))});  // the last one should be at 4
  const Drawn drawn(tridap::draw_claims(capture));
  EXPECT_EQ(drawn.strips.at(0), "##....##.");
  EXPECT_EQ(drawn.strips.at(1), "..##....#");
  EXPECT_EQ(drawn.strips.at(2), "..##....#");
  EXPECT_EQ(drawn.marks, "  !!??  !");
  EXPECT_TRUE(drawn.says("overlap [2, 4): ranks 1 and 2"));
  EXPECT_TRUE(drawn.says("gap [4, 6): no process"));
  const std::vector<tridap::Claim> claims = tridap::claims_of(capture, {8});
  ASSERT_EQ(claims.size(), 2u);
  EXPECT_EQ(claims[0].local, List{2});
  EXPECT_TRUE(tridap::claims_of(capture, {9}).empty());
  EXPECT_TRUE(tridap::claims_of(capture, {-1}).empty());
}

std::string listed(Index size, Index grid, Index coordinate, const std::string& indices, bool one_to_one) {
  return R"({"dist_type": "u", "size": )" + std::to_string(size) + R"(, "proc_grid_size": )" + std::to_string(grid) +
         R"(, "proc_grid_rank": )" + std::to_string(coordinate) + R"(, "indices": )" + indices + R"(, "one_to_one": )" +
         (one_to_one ? "true" : "false") + "}";
}

TEST(DrawClaims, ListsAreDrawnByTheirIndicesAndOverlapIfOneToOne) {
  for (const bool one_to_one : {true, false}) {
    const Capture capture = capture_of(
        {process(0, listed(5, 2, 0, "[70, -3]", one_to_one)), process(1, listed(5, 2, 1, "[8, 70, 9]", one_to_one))});
    const Drawn drawn(tridap::draw_claims(capture));
    EXPECT_EQ(drawn.strips.at(0), "#..#");  // -3, 8, 9, 70
    EXPECT_EQ(drawn.strips.at(1), ".###");
    EXPECT_EQ(drawn.marks, one_to_one ? "   !" : "");
    EXPECT_EQ(drawn.says("overlap index 70: ranks 0 and 1"), one_to_one);
    const std::vector<tridap::Claim> claims = tridap::claims_of(capture, {70});
    ASSERT_EQ(claims.size(), 2u);
    EXPECT_EQ(claims[0].local, List{0});
    EXPECT_EQ(claims[1].local, List{1});
  }
}

TEST(DrawClaims, ProcessesThatStateTheSameAreOneLineOfEachAxis) {
  std::vector<std::string> processes;
  for (Index p = 0; p < 6; ++p)  // a grid of 2 x 3; rank 1 states another stop on axis 0
    processes.push_back(process(p, block(4, 2, p / 3, p / 3 * 2, p == 1 ? 3 : p / 3 * 2 + 2) + ", " +
                                       block(6, 3, p % 3, p % 3 * 2, p % 3 * 2 + 2)));
  const Capture capture = capture_of(processes);
  const std::string text = tridap::draw_claims(capture);
  for (const char* line :
       {"\n  ranks 0 and 2  ######......  start 0, stop 2\n", "\n  rank 1         #########...  start 0, stop 3\n",
        "\n  ranks 3 to 5   ......######  start 2, stop 4\n", "\n  overlap [2, 3): ranks 1 and 3 to 5\n",
        "\n  ranks 1 and 4  ......######......  start 2, stop 4\n", "Axis 0: size 4\n", "Axis 1: size 6\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << " is not in\n" << text;
  EXPECT_EQ(tridap::claims_of(capture, {2, 3}).size(), 2u);  // rank 1, and rank 4
  EXPECT_EQ(tridap::claims_of(capture, {2, 0}).size(), 1u);
}

TEST(DrawClaims, GapOfOneProcessAmongOthersAtItsCoordinateIsMarked) {
  std::vector<std::string> processes;
  for (Index p = 0; p < 4; ++p)  // a grid of 2 x 2; rank 3 begins late on axis 0
    processes.push_back(process(
        p, block(4, 2, p / 2, p == 3 ? 3 : p / 2 * 2, p / 2 * 2 + 2) + ", " + block(2, 2, p % 2, p % 2, p % 2 + 1)));
  const Capture capture = capture_of(processes);
  const std::string text = tridap::draw_claims(capture);
  on::expect_says(text, "\n  gap [2, 3): not on rank 3\n");
  EXPECT_EQ(tridap::claims_of(capture, {2, 0}).size(), 1u);
  EXPECT_TRUE(tridap::claims_of(capture, {2, 1}).empty());
}

TEST(DrawClaims, ProcessThatCannotBeReadHasALine) {
  const Capture capture =
      capture_of({process(0, block(4, 2, 0, 0, 2)), process(1, R"({"dist_type": "b", "size": 4})")});
  const std::string text = tridap::draw_claims(capture);
  on::expect_says(text, "\n  rank 1    ............  cannot be read\n");
  on::expect_says(text, "\n  gap [2, 4): no process\n");
  EXPECT_EQ(tridap::claims_of(capture, {0}).size(), 1u);
  for (const char* empty : {"{}", "{\"processes\": []}", "{\"processes\": [null]}", "[]"}) {
    on::expect_says(tridap::draw_claims(tridap::read_capture(empty)), "(no axes)");
    on::expect_says(tridap::draw_claims_svg(tridap::read_capture(empty)), "no axes");
  }
}

TEST(DrawClaims, SizesThatDifferAreNamed) {
  const Capture capture = capture_of(
      {process(0, block(4, 3, 0, 0, 2)), process(1, block(4, 3, 1, 2, 4)), process(2, block(7, 3, 2, 4, 7))});
  const std::string text = tridap::draw_claims(capture);
  on::expect_says(text, "Axis 0: size 4, but on other processes 7\n");
  on::expect_says(text, "......");
}

TEST(DrawClaims, GapOfOneElementOfMillionsIsMarkedAndNamed) {
  std::vector<std::string> processes;
  for (Index p = 0; p < 1000; ++p)
    processes.push_back(process(p, block(1000000000, 1000, p, 1000000 * p + (p == 700 ? 1 : 0), 1000000 * (p + 1))));
  const Capture capture = capture_of(processes);
  TextStyle style;
  style.lines = 30;
  const std::string text = tridap::draw_claims(capture, style);
  on::expect_says(text, "\n  gap [700000000, 700000001): no process\n");
  on::expect_says(text, "rank 700 ");
  on::expect_says(text, "rank 699 ");
  on::expect_says(text, "?");
  EXPECT_LE(lines_of(text).size(), 32u) << text;
  for (const std::string& line : lines_of(text)) EXPECT_LE(line.size(), 80u) << line;
}

TEST(DrawClaims, NumbersFarAwayEndAndDoNotWrap) {
  for (const Index huge : {Index{1} << 62, std::numeric_limits<Index>::max(), std::numeric_limits<Index>::min()}) {
    const Capture capture =
        capture_of({process(0, block(huge, 2, 0, 0, huge)), process(1, block(huge, 2, 1, huge, 3)),
                    process(2, cyclic(huge, 2, 0, huge, huge)), process(3, cyclic(huge, 1, 0, 0, 1)),
                    process(4, cyclic(huge, 3, 0, 0, 1)),
                    process(5, block(3, 2, huge, 0, 3,
                                     ", \"padding\": [" + std::to_string(huge) + ", " + std::to_string(huge) + "]"))});
    EXPECT_LT(tridap::draw_claims(capture).size(), 10000u);
    EXPECT_LT(tridap::draw_claims_svg(capture).size(), 200000u);
    for (const Index index : {Index{0}, huge, huge - (huge > 0 ? 1 : 0)}) tridap::claims_of(capture, {index});
  }
}

TEST(DrawClaims, SvgHasARectangleForEachRangeGapAndOverlap) {
  const Capture capture = capture_of(
      {process(0, block(12, 3, 0, 0, 4)), process(1, block(12, 3, 1, 4, 9)), process(2, block(12, 3, 2, 8, 11))});
  const std::string svg = tridap::draw_claims_svg(capture);
  const auto count = [&](const std::string& what) {
    Index found = 0;
    for (std::size_t at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("<rect class=\"claim\""), 3);
  for (const char* ranks : {"0", "1", "2"}) EXPECT_EQ(count("data-processes=\"" + std::string(ranks) + "\""), 1);
  EXPECT_EQ(count("<rect class=\"overlap\""), 2);  // and the legend
  EXPECT_EQ(count("<rect class=\"gap\""), 2);
  EXPECT_EQ(count("overlap [8, 9): ranks 1 and 2"), 1);
  EXPECT_EQ(count("gap [11, 12): no process"), 1);
}

TEST(DrawClaims, PageSaysWhyAndEscapesWhatComesFromOutside) {
  const std::string hostile = "<script>alert(1)</script>";
  const Capture wrong = capture_of({process(0, block(4, 2, 0, 0, 3, R"(, ")" + hostile + R"(": ")" + hostile + R"(")")),
                                    process(1, block(4, 2, 1, 2, 4))});
  const std::string page = tridap::draw_claims_html({{hostile, wrong, {}}, {"b.json", wrong, {}}});
  EXPECT_EQ(page.rfind("<!DOCTYPE html>\n", 0), 0u);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  on::expect_says(page, "<h2>b.json: invalid");
  on::expect_says(page, "[block.tiling]");
  on::expect_says(page, "coordinate 1: start 2, stop 4");
  on::expect_says(page, "<rect class=\"overlap\"");
}

}  // namespace
