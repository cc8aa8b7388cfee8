#include <tridap/internal/text_lines.hpp>

#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

using tridap::characters;
using tridap::fitted;
using tridap::Index;
using tridap::wrapped;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(TextLines, CharactersAreCountedAndColoursAreNot) {
  EXPECT_EQ(characters(""), 0);
  EXPECT_EQ(characters("a \xc3\xbc\xe2\x82\xac"), 4);
  EXPECT_EQ(characters("\033[1;32mvalid\033[0m"), 5);
}

TEST(TextLines, LinesAreBrokenBetweenWordsAndIndented) {
  EXPECT_EQ(wrapped("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrapped("one two three four", 7, 2), (std::vector<std::string>{"one two", "  three", "  four"}));
  EXPECT_EQ(wrapped("a_long_word", 6), (std::vector<std::string>{"a_long", "_word"}));
  EXPECT_TRUE(wrapped("", 6).empty());
}

TEST(TextLines, WhatFitsStaysAsItIs) {
  const std::string text = "  two  blanks\n\n last";
  EXPECT_EQ(fitted(text, 13), text);
  EXPECT_EQ(fitted(text, 12), "  two blanks\n\n last");
  EXPECT_EQ(fitted("x\n", 5), "x\n");
}

TEST(TextLines, WhatFollowsOfALineIsIndentedByTwoMore) {
  EXPECT_EQ(fitted("axis 0: wrong\n  note: it is so", 10), "axis 0:\n  wrong\n  note: it\n    is so");
}

TEST(TextLines, NoLineIsLongerAndNoWordIsLost) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    const Index width = 12 + static_cast<Index>(random() % 20);
    std::string text;
    for (auto word = random() % 12; word > 0; --word) {
      if (random() % 4 == 0) text += "\n" + std::string(random() % 5, ' ');
      const std::string letters(1 + random() % 6, static_cast<char>('a' + random() % 26));
      text += (random() % 3 == 0 ? "\033[1m" + letters + "\033[0m" : letters) + " ";
    }
    const std::string broken = fitted(text, width);
    EXPECT_EQ(words_of(broken), words_of(text)) << text;
    for (const std::string& line : lines_of(broken)) EXPECT_LE(characters(line), width) << text;
  }
}

}  // namespace
