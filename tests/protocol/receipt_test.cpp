#include "support/comma_locale.hpp"
#include <tridap/receipt.hpp>

#include <gtest/gtest.h>

namespace {

TEST(Receipt, SaysSharedUntilSomethingIsCopied) {
  tridap::Receipt receipt;
  EXPECT_TRUE(receipt.shared);
  EXPECT_EQ(receipt.bytes_copied, 0);
  EXPECT_TRUE(receipt.losses.empty());
  EXPECT_EQ(receipt.text(), "shared, 0 bytes copied, same address, 0 s");
  receipt.same_address = false;
  EXPECT_EQ(receipt.text(), "shared, 0 bytes copied, at an offset, 0 s");
  receipt.shared = false;
  receipt.bytes_copied = 9223372036854775807;
  EXPECT_EQ(receipt.text(), "copied, 9223372036854775807 bytes copied, 0 s");
}

TEST(Receipt, NamesEveryLossAndTheCostInOneLine) {
  tridap::Receipt receipt;
  receipt.losses = {"periodic", "the patch number"};
  for (double seconds : {0.0, 0.25, 1e-300, -1.7976931348623157e308}) {
    receipt.seconds = seconds;
    const std::string line = receipt.text();
    EXPECT_NE(line.find("periodic, the patch number"), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_NE(line.find(" s;"), std::string::npos) << line;
  }
  receipt.seconds = 0.25;
  EXPECT_NE(receipt.text().find("0.25 s"), std::string::npos);
}

TEST(Copy, NeverIsWhatNothingSaidMeans) { EXPECT_EQ(tridap::Copy{}, tridap::Copy::never); }

TEST(Receipt, HasAPointInEveryLocale) {
  const CommaLocale locale;
  if (!locale.is_set()) GTEST_SKIP() << CommaLocale::reason;
  tridap::Receipt receipt;
  receipt.seconds = 0.25;
  receipt.bytes_copied = 1234567;
  EXPECT_EQ(receipt.text(), "shared, 1234567 bytes copied, same address, 0.25 s");
}

}  // namespace
