#include "support/oracle.hpp"
#include <tridap/capture.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;
using tridap::Capture;
using tridap::Report;
using tridap::Rule;

const fs::path data = TRIDAP_TEST_DATA;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> captures(const fs::path& folder, bool recursive = false) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".json" && (recursive || entry.path().parent_path() == folder))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::set<std::string> rules_of(const Report& report) {
  std::set<std::string> ids;
  for (const auto& [rule, count] : report.counts()) ids.insert(tridap::rule_text(rule).id);
  return ids;
}

/// The rule that a file's name begins with: the longest of all that do.
std::string rule_in(const std::string& name) {
  std::string best;
  for (int i = 0; i < tridap::rule_count; ++i) {
    const std::string id = tridap::rule_text(static_cast<Rule>(i)).id;
    if (name.compare(0, id.size() + 1, id + ".") == 0 && id.size() > best.size()) best = id;
  }
  return best;
}

TEST(Golden, EveryExampleOfBothTextsIsValid) {
  for (const char* version : {"0.10.0", "0.9.0"}) {
    const auto files = captures(data / "examples" / version);
    EXPECT_GE(files.size(), 3u);
    for (const fs::path& file : files) {
      const Capture capture = tridap::read_capture(text_of(file));
      EXPECT_EQ(tridap::check(capture).text(), "") << file;
      for (const auto& process : capture.processes) EXPECT_EQ(process.read.array.version, version) << file;
    }
  }
}

TEST(Golden, EveryPrintedValueIsAtItsGlobalIndex) {
  int compared = 0;
  for (const fs::path& file : captures(data / "examples" / "0.10.0")) {
    const Capture capture = tridap::read_capture(text_of(file));
    const tridap::Distribution distribution = tridap::gather_distribution(capture);
    const std::vector<tridap::Index> shape = distribution.shape();
    if (shape.size() < 2 || shape[0] != 5) continue;  // whose full array is printed, numbered row by row
    for (const auto& process : capture.processes) {
      ASSERT_TRUE(process.values) << file;
      const auto* value = static_cast<const double*>(process.values->data);
      oracle::for_each_index(process.values->shape, [&](const oracle::List& local) {
        tridap::Index number = 0;
        const tridap::Indices global = distribution.global_index(process.rank, local);
        for (std::size_t axis = 0; axis < shape.size(); ++axis) number = number * shape[axis] + global[axis];
        EXPECT_EQ(*value++, static_cast<double>(number)) << file << ' ' << ::testing::PrintToString(global);
        ++compared;
      });
    }
  }
  EXPECT_GE(compared, 8 * 45 + 135);
}

TEST(Golden, FlatBuffersOfTheTextAreRefusedWithTheReshape) {
  for (const char* file :
       {"examples/0.10.0/as_printed/2.1_block_block.json", "examples/0.9.0/as_printed/7.1_block_undistributed.json"}) {
    const Report report = tridap::check(tridap::read_capture(text_of(data / file)));
    EXPECT_EQ(rules_of(report), std::set<std::string>{"shape.ndim"}) << file;
    EXPECT_NE(report.text().find("reshape the buffer to 1 x 10"), std::string::npos) << report.text();
  }
}

TEST(Golden, EachRuleIsBrokenAloneByItsCaptures) {
  std::set<std::string> broken;
  for (const fs::path& file : captures(data / "rules")) {
    const Report report = tridap::check(tridap::read_capture(text_of(file)));
    const std::string id = rule_in(file.filename().string());
    EXPECT_EQ(rules_of(report), std::set<std::string>{id}) << file << '\n' << report.text();
    for (const tridap::Finding& finding : report.findings())
      EXPECT_NE(finding.text().find('[' + id + ']'), std::string::npos);
    broken.insert(id);
  }
  // What no capture can do: be no document, hold a null address or a Python list, be trusted, be converted, run out of
  // memory.
  const std::set<std::string> elsewhere = {"buffer.data", "unstructured.list", "version.extent",
                                           "conversion",  "process.failure",   "json.document"};
  for (int i = 0; i < tridap::rule_count; ++i) {
    const std::string id = tridap::rule_text(static_cast<Rule>(i)).id;
    EXPECT_EQ(broken.count(id) + elsewhere.count(id), 1u) << id;
  }
}

TEST(Golden, WhatPeopleDoubtIsValidAll) {
  const auto files = captures(data / "valid");
  EXPECT_GE(files.size(), 50u);
  for (const fs::path& file : files) {
    const Capture capture = tridap::read_capture(text_of(file));
    const Report report = tridap::check(capture);
    EXPECT_EQ(report.text(), "") << file;
    if (!report.ok()) continue;
    EXPECT_EQ(tridap::gather_distribution(capture).processes(), static_cast<tridap::Index>(capture.processes.size()));
  }
}

TEST(Golden, WhatIsNoDocumentIsUnreadable) {
  const auto files = captures(data / "unreadable");
  EXPECT_GE(files.size(), 20u);
  for (const fs::path& file : files) EXPECT_THROW(tridap::read_capture(text_of(file)), tridap::Error) << file;
}

// Ownership element by element, as far as an array is small.
std::vector<std::vector<oracle::List>> places(const tridap::Distribution& distribution) {
  std::vector<std::vector<oracle::List>> all;
  for (tridap::Index p = 0; p < distribution.processes(); ++p) {
    all.emplace_back();
    if (distribution.count(p) > 10000) continue;
    std::vector<tridap::Index> shape;
    for (const tridap::Range& range : distribution.part(p, tridap::Part::owned)) shape.push_back(range.size());
    oracle::for_each_index(shape, [&](oracle::List at) {
      const auto part = distribution.part(p, tridap::Part::owned);
      for (std::size_t axis = 0; axis < at.size(); ++axis) at[axis] += part[axis].begin;
      all.back().push_back(distribution.global_index(p, at));
    });
  }
  return all;
}

TEST(Golden, ConvertedCapturesAreValidAndKeepOwnershipThereAndBack) {
  int there = 0, said = 0;
  for (const char* folder : {"examples", "valid"})
    for (const fs::path& file : captures(data / folder, true)) {
      const Capture capture = tridap::read_capture(text_of(file));
      if (!tridap::check(capture).ok()) continue;
      const tridap::Distribution before = tridap::gather_distribution(capture);
      const std::string new_text = tridap::convert_capture(capture, tridap::Version::v0_10);
      const Capture converted = tridap::read_capture(new_text);
      EXPECT_EQ(tridap::check(converted).errors(), 0) << file << tridap::check(converted).text();
      EXPECT_EQ(places(tridap::gather_distribution(converted)), places(before)) << file;
      EXPECT_EQ(tridap::convert_capture(converted, tridap::Version::v0_10), new_text) << file;
      ++there;
      try {
        const Capture old = tridap::read_capture(tridap::convert_capture(converted, tridap::Version::v0_9));
        EXPECT_EQ(tridap::check(old).errors(), 0) << file << tridap::check(old).text();
        EXPECT_EQ(places(tridap::gather_distribution(old)), places(before)) << file;
        ++said;
      } catch (const tridap::Error& error) {
        EXPECT_EQ(rules_of(error.report()), std::set<std::string>{"conversion"}) << file;
      }
    }
  EXPECT_GE(there, 60);
  EXPECT_GE(said, 50);
}

}  // namespace
