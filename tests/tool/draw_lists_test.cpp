#include "support/thrown.hpp"
#include <tridap/draw.hpp>
#include <tridap/make.hpp>

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace {

using tridap::Index;

// The words of the line above the cells.
std::vector<std::string> header_of(const std::string& drawn, const std::string& first) {
  std::istringstream lines(drawn);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> all;
    for (std::string word; words >> word;) all.push_back(word);
    if (!all.empty() && all.front() == first) return all;
  }
  return {};
}

TEST(DrawText, IndicesThatJumpAreAllWrittenWhereThereIsRoom) {
  const auto lists = tridap::Distribution::make({6}, {tridap::unstructured({{-3, 700, 5}, {6, 81, 1}})}, {2});
  const std::string drawn = tridap::draw_text(lists);
  EXPECT_EQ(header_of(drawn, "-3"), (std::vector<std::string>{"-3", "1", "5", "6", "81", "700"})) << drawn;
  EXPECT_EQ(drawn.find("may not be consecutive"), std::string::npos) << drawn;
}

TEST(DrawText, IndicesThatJumpAndAreNotAllWrittenAreSaidTo) {
  std::vector<Index> far;
  for (Index i = 0; i < 30; ++i) far.push_back(i * 1000000000);
  const std::string drawn = tridap::draw_text(tridap::Distribution::make({30}, {tridap::unstructured({far})}, {1}));
  on::expect_says(drawn, "Only some indices are written, and they may not be consecutive.");
}

}  // namespace
