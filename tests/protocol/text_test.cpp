#include "support/comma_locale.hpp"
#include <tridap/report.hpp>
#include <tridap/text.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace {

const std::string replacement = "\xEF\xBF\xBD";

TEST(Clean, KeepsWhatCanBePrintedInAnyScript) {
  for (const std::string text : {"", "size",
                                 "Gr\xc3\xb6\xc3\x9f"
                                 "e",
                                 "\xe5\xa4\xa7", "\xf0\x9f\x8c\x8d", " a b "})
    EXPECT_EQ(tridap::clean(text), text);
}

TEST(Clean, ReplacesWhatTerminalsActOn) {
  EXPECT_EQ(tridap::clean("a\x1b[31mb"), "a" + replacement + "[31mb");  // escape
  EXPECT_EQ(tridap::clean("a\nb\tc\x7f"), "a" + replacement + "b" + replacement + "c" + replacement);
  for (const char* one :
       {"\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\xa8"})  // CSI, overrides, line separator
    EXPECT_EQ(tridap::clean(one).find(one), std::string::npos);
}

TEST(Clean, ReplacesWhatIsNoUtf8) {
  for (const char* one : {"\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xc3", "\xe5\xa4"}) {
    const std::string cleaned = tridap::clean(one);
    EXPECT_EQ(cleaned.find(one), std::string::npos);
    EXPECT_EQ(cleaned.substr(0, 3), replacement);
  }
}

TEST(Shortened, EndsBetweenCharacters) {
  const std::string text = "a\xc3\xb6\xe5\xa4\xa7";
  const std::size_t ends[] = {0, 1, 1, 3, 3, 3, 6, 6};
  for (std::size_t bytes = 0; bytes < 8; ++bytes)
    EXPECT_EQ(tridap::shortened(text, bytes), text.substr(0, ends[bytes]));
}

TEST(Finding, PrintsNothingThatActsOnATerminalNorWithoutEnd) {
  const tridap::Finding finding{tridap::Rule::extra_key, {}, 0, "\xc2\x9b" + std::string(100000, 'k'),
                                "\xe2\x80\xae",          "", ""};
  EXPECT_EQ(finding.text().find("\xc2\x9b"), std::string::npos);
  EXPECT_EQ(finding.text().find("\xe2\x80\xae"), std::string::npos);
  EXPECT_LT(finding.text().size(), 1000u);
}

TEST(NumberText, HasTheDigitsThatAreAskedFor) {
  EXPECT_EQ(tridap::number_text(0.5), "0.5");
  EXPECT_EQ(tridap::number_text(-1), "-1");
  EXPECT_EQ(tridap::number_text(1e-8), "1e-08");
  EXPECT_EQ(tridap::number_text(1234567.5, 8), "1234567.5");
  EXPECT_EQ(tridap::number_text(0.123456, 3), "0.123");
  EXPECT_EQ(tridap::number_text(-HUGE_VAL), "-inf");
  EXPECT_EQ(tridap::fixed_text(68.72, 1), "68.7");
  EXPECT_EQ(tridap::fixed_text(1234.5, 2), "1234.50");
  EXPECT_EQ(tridap::fixed_text(3, 0), "3");
}

TEST(NumberText, HasAPointInEveryLocale) {
  const CommaLocale locale;
  if (!locale.is_set()) GTEST_SKIP() << CommaLocale::reason;
  ASSERT_EQ(std::to_string(0.5), "0,500000") << "else the test shows nothing";
  EXPECT_EQ(tridap::number_text(1234567.5, 8), "1234567.5");
  EXPECT_EQ(tridap::fixed_text(1234.5, 2), "1234.50");
}

}  // namespace
