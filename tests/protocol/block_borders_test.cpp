#include "support/oracle.hpp"
#include <tridap/gather_distribution.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace {

using oracle::List;
using tridap::Block;
using tridap::DistArray;
using tridap::Finding;
using tridap::Index;
using tridap::Report;
using tridap::Rule;
using tridap::Version;
using Processes = std::vector<DistArray>;
using Widths = std::array<Index, 2>;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// One axis over as many processes, with the buffers that its blocks need.
Processes processes_of(const oracle::Axis& axis) { return oracle::processes_of({axis}); }

Block& block_of(DistArray& array) { return std::get<Block>(array.dim_data[0].dist); }

/// The buffer gets the extent that `start` and `stop` give it in 0.10.
void follow(DistArray& array) {
  const Block& block = block_of(array);
  array.buffer = tridap::allocate(tridap::element_type<double>(), {block.stop - block.start});
}

/// Where each block begins, and where the last one ends.
List borders_of(const List& counts) {
  List borders{0};
  for (const Index count : counts) borders.push_back(borders.back() + count);
  return borders;
}

/// The ways in which `size` elements are usually distributed evenly, found by dealing them one by one.
std::vector<List> even(Index size, Index grid) {
  List dealt(at(grid), 0), filled = dealt, mapped = dealt, rest = dealt;
  for (Index i = 0; i < size; ++i) ++dealt[at(i % grid)];
  Index length = 0;
  while (length * grid < size) ++length;
  for (Index i = 0, c = 0; i < size; ++i) {
    while (filled[at(c)] == length) ++c;
    ++filled[at(c)];
  }
  for (Index i = 0; i < size; ++i) ++mapped[at(i * grid / size)];
  for (Index i = 0, left = size; i < grid; ++i) {
    rest[at(i)] = i + 1 < grid ? dealt.back() : left;
    left -= rest[at(i)];
  }
  std::vector<List> all = {dealt, filled, mapped, rest};
  for (const List& counts : {dealt, mapped}) all.emplace_back(counts.rbegin(), counts.rend());
  std::vector<List> borders;
  for (const List& counts : all) borders.push_back(borders_of(counts));
  return borders;
}

bool is_even(const List& borders) {
  const auto all = even(borders.back(), static_cast<Index>(borders.size()) - 1);
  return std::find(all.begin(), all.end(), borders) != all.end();
}

/// All blocks before the last one have the same length, and one border that is not in question shows it.
bool has_one_length(const List& borders, Index in_question) {
  const Index size = borders.back(), grid = static_cast<Index>(borders.size()) - 1;
  bool shown = false;
  for (Index c = 1; c < grid; ++c) shown = shown || (c != in_question && borders[at(c)] > 0 && borders[at(c)] < size);
  for (Index length = 1; shown && length <= size; ++length) {
    bool all = true;
    for (Index c = 0; c < grid; ++c) all = all && borders[at(c)] == std::min(c * length, size);
    if (all) return true;
  }
  return false;
}

/// A finding says that the number `key` of a process has this value, as its own or as another one's.
bool names(const Finding& finding, Index process, const std::string& key, Index value) {
  const std::string number = std::to_string(value);
  const auto is = [](const std::string& text, const std::string& wanted) {
    return text == wanted || text.rfind(wanted + " (", 0) == 0;  // "9 (8 without padding)"
  };
  if (finding.process == process && finding.key == key && is(finding.value, number)) return true;
  for (const tridap::ValueElsewhere& other : finding.others)
    if (other.process == process &&
        (is(other.value, "'" + key + "' is " + number) || (finding.key == key && is(other.value, number))))
      return true;
  return false;
}

std::string words(const List& borders, Index c, const char* key, Index value, const Report& report) {
  return ::testing::PrintToString(borders) + ", '" + key + "' of " + std::to_string(c) + " is " +
         std::to_string(value) + "\n" + report.text();
}

/// One number of one process is `value`. The finding must name both sides of the border with both numbers, and blame
/// what the oracle blames.
void expect_blame(const List& borders, Index c, bool is_start, Index value, bool right_buffers) {
  const Index grid = static_cast<Index>(borders.size()) - 1;
  const Index border = is_start ? c : c + 1, truth = borders[at(border)];
  List counts;
  for (Index i = 0; i < grid; ++i) counts.push_back(borders[at(i + 1)] - borders[at(i)]);
  Processes all = processes_of(oracle::block(counts));
  Block& block = block_of(all[at(c)]);
  (is_start ? block.start : block.stop) = value;
  if (!right_buffers) follow(all[at(c)]);

  const Report report = tridap::check(all);
  const std::string said = words(borders, c, is_start ? "start" : "stop", value, report);
  ASSERT_EQ(report.count(Rule::block_tiling), 1) << said;
  const auto found = std::find_if(report.findings().begin(), report.findings().end(),
                                  [](const Finding& f) { return f.rule == Rule::block_tiling; });
  ASSERT_NE(found, report.findings().end());
  ASSERT_TRUE(names(*found, c, is_start ? "start" : "stop", value)) << said;
  if (border == 0 || border == grid) {  // the other number is 0, or `size`
    ASSERT_TRUE(found->process == c || found->others[0].process == c) << said;
    return;
  }
  bool neighbour = false;
  for (Index other = 0; other < grid; ++other)
    neighbour = neighbour || (other != c && names(*found, other, is_start ? "stop" : "start", truth));
  ASSERT_TRUE(neighbour) << said;
  if (right_buffers) {  // only this process's buffer contradicts its numbers
    ASSERT_EQ(found->process, c) << said;
    return;
  }
  List other_reading = borders;
  other_reading[at(border)] = value;
  bool right = is_even(borders), wrong = is_even(other_reading);
  if (!right && !wrong) {
    right = has_one_length(borders, border);
    wrong = has_one_length(other_reading, border);
  }
  const bool undecided = found->text().find("do not show which is wrong") != std::string::npos ||
                         found->text().find("halo") != std::string::npos;
  ASSERT_EQ(undecided, right == wrong) << said;
  if (right != wrong) {
    ASSERT_EQ(found->process == c, right) << said;
    const Index supported = right ? truth : value;
    ASSERT_NE(found->text().find("the others support " + std::to_string(supported)), std::string::npos) << said;
    ASSERT_NE(found->text().find("to " + std::to_string(supported)), std::string::npos) << said;
  }
}

TEST(Borders, OneWrongNumberNamesBothSidesAndBlamesTheWrongOne) {
  for (Index grid = 1; grid <= 4; ++grid)
    for (Index size = 1; size <= 7; ++size)
      for (const List& counts : oracle::splits(size, grid)) {
        const List borders = borders_of(counts);
        for (Index c = 0; c < grid; ++c)
          for (const bool is_start : {true, false})
            for (Index value = is_start ? 0 : borders[at(c)]; value <= (is_start ? borders[at(c + 1)] : size);
                 ++value) {
              if (value == borders[at(is_start ? c : c + 1)]) continue;
              for (const bool right_buffers : {true, false})
                ASSERT_NO_FATAL_FAILURE(expect_blame(borders, c, is_start, value, right_buffers));
            }
      }
}

TEST(Borders, MessageHasBothNumbersThePatternAndTheRemedy) {
  Processes all = processes_of(oracle::block({10, 10, 10}));
  block_of(all[1]).stop = 21;
  follow(all[1]);
  EXPECT_EQ(tridap::check(all).text(),
            "axis 0 (rank 1): 'stop' is 21, but 'start' is 20 on rank 2 and both must be equal: the others support 20 "
            "(30 elements evenly over 3 processes) [block.tiling]: set 'stop' to 20");
  all = processes_of(oracle::block({5, 2, 9}));
  block_of(all[1]).stop = 8;
  follow(all[1]);
  EXPECT_EQ(
      tridap::check(all).text(),
      "axis 0 (rank 1): 'stop' is 8, but 'start' is 7 on rank 2 and both must be equal; the other processes do not "
      "show which is wrong [block.tiling]: correct one of the two, or give 'padding' if the blocks overlap as a halo");
}

TEST(Borders, RanksAreThoseOfTheProcessesInAGridOfTwoAxes) {
  // Coordinate 1 of axis 0 is on ranks 2 and 3 of a 3 x 2 grid, coordinate 2 on ranks 4 and 5.
  Processes all = oracle::processes_of({oracle::block({2, 2, 2}), oracle::block({1, 1})});
  for (const std::size_t rank : {2, 3}) {
    block_of(all[rank]).stop = 5;
    all[rank].buffer = tridap::allocate(tridap::element_type<double>(), {3, 1});
  }
  const Report report = tridap::check(all);
  ASSERT_EQ(report.findings().size(), 1u) << report.text();
  EXPECT_EQ(report.findings()[0].process, 2);
  ASSERT_EQ(report.findings()[0].others.size(), 1u);
  EXPECT_EQ(report.findings()[0].others[0].process, 4);
}

/// Every block has three elements, and `width` of them are padding of each neighbour.
Processes padded(Index grid, Index width, Version version) {
  Processes all = processes_of(oracle::block(List(at(grid), 3), List(at(grid - 1), width)));
  for (Index c = 0; version == Version::v0_9 && c < grid; ++c) {
    all[at(c)].version = "0.9.0";
    block_of(all[at(c)]).start = 3 * c;
    block_of(all[at(c)]).stop = 3 * c + 3;
  }
  return all;
}

TEST(Borders, WrongStartOrStopOfPaddedBlocksIsBlamed) {
  for (const Version version : {Version::v0_10, Version::v0_9})
    for (Index grid = 2; grid <= 4; ++grid)
      for (Index width = 1; width <= 2; ++width)
        for (Index c = 0; c < grid; ++c)
          for (const bool is_start : {true, false})
            for (const Index by : {-1, 1})
              for (const bool right_buffers : {true, false}) {
                if (c == (is_start ? 0 : grid - 1)) continue;  // no border inside
                Processes all = padded(grid, width, version);
                ASSERT_EQ(tridap::check(all).text(), "");
                Index& number = is_start ? block_of(all[at(c)]).start : block_of(all[at(c)]).stop;
                number += by;
                const Index extent = all[at(c)].buffer.shape[0] + (is_start ? -by : by);
                if (!right_buffers) all[at(c)].buffer = tridap::allocate(tridap::element_type<double>(), {extent});
                const Report report = tridap::check(all);
                ASSERT_EQ(report.count(Rule::block_tiling), 1) << report.text();
                for (const Finding& finding : report.findings()) {
                  if (finding.rule != Rule::block_tiling) continue;
                  EXPECT_EQ(finding.process, c) << report.text();
                  EXPECT_TRUE(names(finding, c, is_start ? "start" : "stop", number)) << report.text();
                  const Index other = is_start ? c - 1 : c + 1;
                  const Block& next = block_of(all[at(other)]);
                  EXPECT_TRUE(names(finding, other, is_start ? "stop" : "start", is_start ? next.stop : next.start))
                      << report.text();
                  EXPECT_NE(finding.remedy.find("to " + std::to_string(number - by)), std::string::npos)
                      << report.text();
                }
              }
}

TEST(Borders, WrongPaddingWidthIsBlamed) {
  for (const Version version : {Version::v0_10, Version::v0_9})
    for (Index grid = 2; grid <= 4; ++grid)
      for (Index width = 1; width <= 2; ++width)
        for (Index c = 0; c < grid; ++c)
          for (const std::size_t end : {0u, 1u})
            for (Index wrong = 0; wrong <= 3; ++wrong) {
              if (wrong == width || c == (end == 0 ? 0 : grid - 1)) continue;
              Processes all = padded(grid, width, version);
              (*block_of(all[at(c)]).padding)[end] = wrong;
              const Report report = tridap::check(all);
              if (report.count(Rule::block_padding) + report.count(Rule::block_padding_owned) > 0) continue;
              EXPECT_EQ(report.count(Rule::block_tiling), 0) << report.text();
              ASSERT_EQ(report.count(Rule::block_padding_neighbour), 1) << report.text();
              for (const Finding& finding : report.findings()) {
                if (finding.rule != Rule::block_padding_neighbour) continue;
                EXPECT_EQ(finding.process, c) << report.text();
                EXPECT_EQ(finding.value.find(std::to_string(wrong) + " at the"), 0u) << report.text();
                ASSERT_EQ(finding.others.size(), 1u);
                EXPECT_EQ(finding.others[0].process, end == 0 ? c - 1 : c + 1) << report.text();
                EXPECT_EQ(finding.others[0].value.find(std::to_string(width) + " at the"), 0u) << report.text();
                EXPECT_NE(finding.remedy.find("the width " + std::to_string(width)), std::string::npos);
              }
            }
}

TEST(Borders, InclusiveStopsAreOneFindingAndItsRemedyRuns) {
  for (Index grid = 1; grid <= 4; ++grid)
    for (Index size = grid; size <= 8; ++size)
      for (const List& counts : oracle::splits(size, grid)) {
        if (std::count(counts.begin(), counts.end(), 0) > 0) continue;
        for (const bool right_buffers : {true, false}) {
          if (grid == 1 && !right_buffers) continue;  // one short block, for any reason
          Processes all = processes_of(oracle::block(counts));
          for (DistArray& array : all) {
            --block_of(array).stop;
            if (!right_buffers) follow(array);
          }
          const Report report = tridap::check(all);
          ASSERT_EQ(report.count(Rule::block_tiling), 1) << report.text();
          EXPECT_NE(report.text().find("the last index in place of the index after it, as on every process "
                                       "[block.tiling]: add 1 to 'stop' on every process"),
                    std::string::npos)
              << report.text();
          EXPECT_NE(report.text().find("'stop' is " + std::to_string(counts[0] - 1) + " on rank 0"), std::string::npos)
              << report.text();
          for (DistArray& array : all) {
            ++block_of(array).stop;
            follow(array);
          }
          EXPECT_EQ(tridap::check(all).text(), "");
        }
      }
}

TEST(Borders, HaloWithoutPaddingIsOneFindingAndItsRemedyRuns) {
  for (Index grid = 2; grid <= 4; ++grid)
    for (Index width = 1; width <= 2; ++width) {
      Processes all = processes_of(oracle::block(List(at(grid), 4)));
      for (Index c = 0; c < grid; ++c) {
        block_of(all[at(c)]).start -= c > 0 ? width : 0;
        block_of(all[at(c)]).stop += c + 1 < grid ? width : 0;
        follow(all[at(c)]);
      }
      const Report report = tridap::check(all);
      ASSERT_EQ(report.findings().size(), 1u) << report.text();
      const std::string w = std::to_string(width);
      EXPECT_NE(report.text().find("'stop' is " + std::to_string(4 + width) + ", but 'start' is " +
                                   std::to_string(4 - width) + " on rank 1 and all blocks overlap by " +
                                   std::to_string(2 * width) + ", like a halo of " + w + " without 'padding'"),
                std::string::npos)
          << report.text();
      const std::string between = grid > 2 ? ", (" + w + ", " + w + ") between" : "";
      EXPECT_NE(report.text().find("give 'padding' (0, " + w + ") on the first process" + between + " and (" + w +
                                   ", 0) on the last"),
                std::string::npos)
          << report.text();
      for (Index c = 0; c < grid; ++c)
        block_of(all[at(c)]).padding = Widths{c > 0 ? width : 0, c + 1 < grid ? width : 0};
      EXPECT_EQ(tridap::check(all).text(), "");
    }
}

TEST(Borders, HaloOnOneSideIsSaidToBeNone) {
  for (const bool lower : {true, false}) {
    Processes all = processes_of(oracle::block({4, 4, 4}));
    for (Index c = 0; c < 3; ++c) {
      if (lower && c > 0) --block_of(all[at(c)]).start;
      if (!lower && c < 2) ++block_of(all[at(c)]).stop;
      follow(all[at(c)]);
    }
    const Report report = tridap::check(all);
    ASSERT_EQ(report.findings().size(), 1u) << report.text();
    EXPECT_NE(report.text().find("like a halo on one side without 'padding'"), std::string::npos) << report.text();
  }
}

TEST(Borders, StopsAreInclusiveOnlyIfTheLastOneIsTheLastIndex) {
  const auto said = [](Processes all, Index of_last) {
    for (DistArray& array : all) --block_of(array).stop;
    block_of(all.back()).stop += of_last;
    for (DistArray& array : all) follow(array);
    return tridap::check(all).text();
  };
  const std::string words = "the last index in place of the index after it";
  EXPECT_NE(said(processes_of(oracle::block({4, 4, 4})), 0).find(words), std::string::npos);
  for (const Index of_last : {-1, 1})
    EXPECT_EQ(said(processes_of(oracle::block({4, 4, 4})), of_last).find(words), std::string::npos) << of_last;
  EXPECT_EQ(said(processes_of(oracle::block({4})), 0).find(words), std::string::npos);  // the buffer is short, too
}

TEST(Borders, HaloThatIsWiderThanItsPaddingIsNotSaidToHaveNone) {
  Processes all = processes_of(oracle::block({4, 4, 4}));
  for (Index c = 0; c < 3; ++c) {
    block_of(all[at(c)]).start -= c > 0 ? 2 : 0;
    block_of(all[at(c)]).stop += c < 2 ? 2 : 0;
    block_of(all[at(c)]).padding = Widths{c > 0 ? 1 : 0, c < 2 ? 1 : 0};
    follow(all[at(c)]);
  }
  const Report report = tridap::check(all);
  EXPECT_GT(report.errors(), 0);
  EXPECT_EQ(report.text().find("without 'padding'"), std::string::npos) << report.text();
}

TEST(Borders, SameGapAtEveryBorderIsNoHalo) {
  Processes all = processes_of(oracle::block({4, 4, 4}));
  for (Index c = 0; c < 2; ++c) --block_of(all[at(c)]).stop;
  for (DistArray& array : all) follow(array);
  const Report report = tridap::check(all);
  ASSERT_EQ(report.count(Rule::block_tiling), 2) << report.text();
  EXPECT_EQ(report.text().find("halo"), std::string::npos) << report.text();
}

TEST(Borders, BlockWithTwoWrongNumbersIsBlamedTwice) {
  Processes all = processes_of(oracle::block({4, 4, 4}));
  block_of(all[1]) = {3, 9, {}};
  follow(all[1]);
  const Report report = tridap::check(all);
  ASSERT_EQ(report.count(Rule::block_tiling), 2) << report.text();
  for (const Finding& finding : report.findings()) EXPECT_EQ(finding.process, 1) << report.text();
}

TEST(Borders, LongerBufferOfOneProcessTellsWhatMayBeMeant) {
  const auto remedy_of = [](DistArray& array, Index extent) {
    array.buffer = tridap::allocate(tridap::element_type<double>(), {extent});
    const Report report = tridap::check(array);
    EXPECT_EQ(report.count(Rule::shape_extent), 1);
    return report.findings().front().remedy;
  };
  Processes all = processes_of(oracle::block({4, 4, 4}));
  EXPECT_EQ(remedy_of(all[1], 6), "if the buffer has a halo, give 'padding' (1, 1), 'start' 3 and 'stop' 9");
  block_of(all[1]) = {3, 9, Widths{1, 1}};
  EXPECT_EQ(tridap::check(all[1]).text(), "");
  EXPECT_EQ(remedy_of(all[2], 6), "if the buffer has a halo, give 'padding' (2, 0), 'start' 6 and 'stop' 12");
  block_of(all[2]) = {6, 12, Widths{2, 0}};
  EXPECT_EQ(tridap::check(all[2]).text(), "");
  block_of(all[0]).stop = 3;
  EXPECT_EQ(remedy_of(all[0], 4),
            "set 'stop' to 4 if it is the last index: it must be the one after it, or if the buffer has a halo, give "
            "'padding' (0, 1), 'start' 0 and 'stop' 4");
  block_of(all[0]).stop = 4;
  EXPECT_EQ(tridap::check(all[0]).text(), "");
  EXPECT_EQ(remedy_of(all[0], 3), "");
  all = processes_of(oracle::block({4, 4, 4}));
  all[1].version = "0.9.0";
  EXPECT_EQ(remedy_of(all[1], 8), "if the buffer has a halo, give 'padding' (2, 2)");
  block_of(all[1]).padding = Widths{2, 2};
  EXPECT_EQ(tridap::check(all[1]).text(), "");
}

TEST(Borders, OneWrongStartOfCyclicBlocksIsBlamedAlone) {
  for (Index grid = 3; grid <= 5; ++grid)
    for (Index block_size = 1; block_size <= 3; ++block_size)
      for (Index size = 2 * block_size + 1; size <= 3 * grid * block_size; size += 2)
        for (Index first = 0; first < grid; ++first)
          for (Index c = 0; c < grid; ++c)
            for (Index turn = 0; turn <= grid; ++turn) {
              const oracle::Axis truth = oracle::cyclic(size, block_size, grid, first);
              Index others = 0;
              for (Index other = 0; other < grid; ++other)
                others += other != c && !truth.held_by(other).empty() ? 1 : 0;
              if (others < 2) continue;  // nothing decides
              Processes all = processes_of(truth);
              auto& cyclic = std::get<tridap::Cyclic>(all[at(c)].dim_data[0].dist);
              const Index right = cyclic.start, wrong = turn < grid ? turn * block_size : size;
              if (wrong == right || (right >= size && wrong >= size)) continue;
              cyclic.start = wrong;
              Report report = tridap::check(all);
              ASSERT_EQ(report.count(Rule::cyclic_start), 1) << size << ' ' << c << ' ' << report.text();
              for (const Finding& finding : report.findings())
                if (finding.rule == Rule::cyclic_start) {
                  EXPECT_EQ(finding.process, c) << report.text();
                }
            }
}

}  // namespace
