#include <tridap/dap.h>
#include <tridap/detail/say.hpp>
#include <tridap/library.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace {

std::vector<std::string>& heard() {
  static std::vector<std::string> lines;
  return lines;
}

void hear(const char* line) { heard().emplace_back(line); }

// What is printed on standard error while `act` runs.
template <class Act>
std::string printed(const Act& act) {
  testing::internal::CaptureStderr();
  act();
  return testing::internal::GetCapturedStderr();
}

TEST(Library, StatesTheVersionOfTheBuild) {
  EXPECT_STREQ(tridap::library_version(), TRIDAP_PROJECT_VERSION);
  EXPECT_EQ(dap_library_version(), tridap::library_version());
}

TEST(Library, MacrosCompareVersions) {
  const auto at_least = [](int major, int minor, int patch) { return TRIDAP_VERSION_GE(major, minor, patch); };
  constexpr int major = TRIDAP_VERSION_MAJOR, minor = TRIDAP_VERSION_MINOR, patch = TRIDAP_VERSION_PATCH;
  EXPECT_EQ(std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch), TRIDAP_PROJECT_VERSION);
  EXPECT_TRUE(at_least(major, minor, patch));
  EXPECT_TRUE(at_least(0, 1, 999));
  EXPECT_FALSE(at_least(major, minor, patch + 1));
  EXPECT_FALSE(at_least(major, minor + 1, 0));
  EXPECT_FALSE(at_least(major + 1, 0, 0));
#if !TRIDAP_VERSION_GE(0, 2, 0)
  FAIL() << "the preprocessor compares, too";
#endif
}

TEST(Messages, ArePrintedUntilTheProgramTakesThem) {
  EXPECT_EQ(printed([] { tridap::say("%d of %s", 3, "x"); }), "tridap: 3 of x\n");
  heard().clear();
  const tridap::MessageSink before = tridap::set_message_sink(hear);
  EXPECT_EQ(before, &tridap::print_message);
  EXPECT_EQ(printed([] { tridap::say("another"); }), "");
  EXPECT_EQ(heard(), std::vector<std::string>{"tridap: another"});
  EXPECT_EQ(tridap::set_message_sink(nullptr), &hear);
  EXPECT_EQ(printed([] { tridap::say("a third"); }), "");
  EXPECT_EQ(heard().size(), 1);
  EXPECT_EQ(dap_set_message_sink(before), nullptr);
  EXPECT_EQ(printed([] { tridap::say_line("a fourth"); }), "a fourth\n");
}

TEST(Messages, LongOnesAreCut) {
  heard().clear();
  const tridap::MessageSink before = tridap::set_message_sink(hear);
  const std::string text(10'000, 'x');
  tridap::say("%s", text.c_str());
  tridap::set_message_sink(before);
  ASSERT_EQ(heard().size(), 1);
  EXPECT_EQ(heard()[0], "tridap: " + text.substr(0, 4096 - 1 - 8));
}

// The variable is read once, so another process reads it.
TEST(MessagesDeathTest, AreOffByTheEnvironment) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  setenv("TRIDAP_MESSAGES", "off", 1);
  EXPECT_EXIT(
      {
        tridap::say("this must not be seen");
        std::exit(tridap::set_message_sink(nullptr) == nullptr ? 0 : 1);
      },
      testing::ExitedWithCode(0), "^$");
  unsetenv("TRIDAP_MESSAGES");
}

}  // namespace
