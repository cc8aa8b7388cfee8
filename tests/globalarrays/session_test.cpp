#include <dap/globalarrays/array.hpp>
#include <dap/globalarrays/session.hpp>

#include <gtest/gtest.h>

TEST(Session, BeginsAndEndsAsOftenAsWanted) {
  for (int turn = 0; turn < 2; ++turn) {
    dap::globalarrays::Session session;
    EXPECT_EQ(dap::globalarrays::held(), 0);
    EXPECT_EQ(dap::globalarrays::collect(), 0);
  }
}
