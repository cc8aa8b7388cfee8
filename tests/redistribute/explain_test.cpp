#include "support/comma_locale.hpp"
#include <tridap/make.hpp>
#include <tridap/redistribute/plan.hpp>

#include <gtest/gtest.h>

namespace {

using tridap::Distribution;
using tridap::redistribute::Mapping;
using tridap::redistribute::Plan;

bool says(const std::string& text, const std::string& wanted) { return text.find(wanted) != std::string::npos; }

TEST(Explain, ShowsTheBytesBetweenEachPairOfProcesses) {
  const Distribution rows = Distribution::make({4, 4}, {tridap::block(), tridap::whole()}, {2, 1});
  const Distribution columns = Distribution::make({4, 4}, {tridap::whole(), tridap::block()}, {1, 2});
  EXPECT_EQ(Plan(rows, columns, 8, 1).explain(),
            "block x undistributed over 2 x 1 processes\n"
            "  -> undistributed x block over 1 x 2 processes\n"
            "                 to 0       to 1\n"
            "from 0           32 B       32 B\n"
            "from 1           32 B       32 B\n"
            "64 B are sent in 2 messages by 2 processes; 64 B stay\n"
            "64 B of 128 B must be sent with any placement of the target's parts: this plan sends no more\n");
}

TEST(Explain, SaysHowFarAPlacementIsFromTheBest) {
  const Distribution line = Distribution::make({12}, {tridap::block()}, {3});
  const std::string turned = Plan(line, {line, {1, 2, 0}}, 8, 0).explain();
  EXPECT_TRUE(says(turned, "96 B are sent in 3 messages by 3 processes; 0 B stay")) << turned;
  EXPECT_TRUE(says(turned, "0 B of 96 B must be sent")) << turned;
  EXPECT_TRUE(says(turned, "this plan sends more (relabel() finds the best placement)")) << turned;
  const Distribution others = Distribution::make({12}, {tridap::block_at({0, 5, 8})}, {3});
  const std::string half = Plan(line, {others, {1, 0, 2}}, 8, 0).explain();
  EXPECT_TRUE(says(half, "56 B are sent")) << half;  // of 5, 3 and 4 elements, the last ones stay whole and one more
  EXPECT_TRUE(
      says(half, "8 B of 96 B must be sent with any placement of the target's parts: this plan sends 7.00 times"))
      << half;
}

TEST(Explain, SumsUpWhereThereAreMany) {
  const Distribution rows = Distribution::make({100, 100}, {tridap::block(), tridap::whole()}, {100, 1});
  const Distribution blocks = Distribution::make({100, 100}, {tridap::block(), tridap::block()}, {10, 10});
  const std::string text = Plan(rows, blocks, 8, 7).explain();
  EXPECT_FALSE(says(text, "from 0")) << text;
  EXPECT_TRUE(says(text, "process 7 of 100 keeps 80 B, sends 720 B in 9 messages and receives 720 B")) << text;
  EXPECT_TRUE(says(text, "70.3 KiB are sent in 900 messages by 100 processes; 7.8 KiB stay")) << text;
}

TEST(Explain, AnswersForAMillionProcesses) {
  const Distribution blocks = Distribution::make({1000000, 1000000}, {tridap::block(), tridap::block()}, {1000, 1000});
  const Distribution cyclic =
      Distribution::make({1000000, 1000000}, {tridap::cyclic(64), tridap::cyclic(64)}, {1000, 1000});
  const std::string text = Plan(blocks, cyclic, 8, 0).explain();
  // A block of 1000 has a dealt block of 64 at least whole: at most 64^2 of its 10^6 elements stay.
  EXPECT_TRUE(says(text, "at least 7.2 TiB of 7.3 TiB must be sent")) << text;
  EXPECT_TRUE(says(text, "process 0 of 1000000 keeps 32.0 KiB, sends 7.6 MiB in 255 messages")) << text;
  EXPECT_FALSE(says(text, "this plan")) << text;  // nobody knows what all of them send
}

TEST(Explain, CountsProcessesWithoutPartsToo) {
  const Distribution three = Distribution::make({128}, {tridap::block()}, {3}),
                     two = Distribution::make({128}, {tridap::block()}, {2});
  const std::string text = Plan(three, {two, {6, 4}}, 8, 0).explain();
  EXPECT_TRUE(says(text, "1.0 KiB are sent in 4 messages by 7 processes; 0 B stay")) << text;
}

TEST(Explain, ListsUpToSixteenProcesses) {
  for (const tridap::Index processes : {16, 17}) {
    const Distribution line = Distribution::make({processes}, {tridap::block()}, {processes});
    EXPECT_EQ(says(Plan(line, line, 8, 0).explain(), "from 15"), processes == 16);
  }
}

// Of 600 elements in pairs on 300 processes one takes 301: of these it can have two at home, of the others' each its
// own.
TEST(Explain, BoundsWhatCanStayByEitherSide) {
  const Distribution pairs = Distribution::make({600}, {tridap::block()}, {300});
  std::vector<tridap::Index> starts{0};
  for (tridap::Index c = 1; c < 300; ++c) starts.push_back(300 + c);
  const Distribution uneven = Distribution::make({600}, {tridap::block_at(starts)}, {300});
  const std::string text = Plan(pairs, uneven, 8, 0).explain();
  EXPECT_TRUE(says(text, "at least 2.3 KiB of 4.7 KiB must be sent")) << text;
}

TEST(Explain, DoesNotBoundWhatIsLeftOutOnManyProcesses) {
  const Distribution dealt = Distribution::make({4096}, {tridap::cyclic()}, {2048});
  const Distribution line = Distribution::make({5000}, {tridap::block()}, {2048});
  Mapping mapping;
  mapping.partial = true;
  const std::string text = Plan(line, dealt, 8, 0, mapping).explain();
  EXPECT_FALSE(says(text, "must be sent")) << text;
}

TEST(Explain, KnowsRavelledArrays) {
  const Distribution array = Distribution::make({12, 10}, {tridap::block(), tridap::cyclic(3)}, {2, 2});
  Mapping mapping;
  mapping.ravel = tridap::Order::row_major;
  const std::string text = Plan(array, Distribution::make({120}, {tridap::block()}, {4}), 8, 3, mapping).explain();
  EXPECT_TRUE(says(text, "by row-major flat numbers")) << text;
  EXPECT_TRUE(says(text, "from 2              -          -      144 B      144 B")) << text;
  EXPECT_TRUE(says(text, "480 B are sent in 4 messages by 4 processes; 480 B stay")) << text;
}

TEST(Explain, HasAPointInEveryLocale) {
  const CommaLocale locale;
  if (!locale.is_set()) GTEST_SKIP() << CommaLocale::reason;
  const Distribution line = Distribution::make({1200}, {tridap::block()}, {3});
  const Distribution others = Distribution::make({1200}, {tridap::block_at({0, 500, 800})}, {3});
  const std::string text = Plan(line, {others, {1, 0, 2}}, 8, 0).explain();
  EXPECT_TRUE(says(text, "5.5 KiB are sent")) << text;  // a hundred times the bytes of the test above
  EXPECT_TRUE(says(text, "this plan sends 7.00 times")) << text;
}

}  // namespace
