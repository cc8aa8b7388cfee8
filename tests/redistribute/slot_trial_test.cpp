#include "ring.hpp"

#include <gtest/gtest.h>

namespace {

using tridap::redistribute::SlotTrial;

/// A receiver whose sender writes slots as it is asked to when it fills the first of a burst.
struct Receiver {
  SlotTrial trial;
  double past_caches, cached;  ///< what a byte of either kind takes
  int burst = 1;

  /// How many of the next `slots` were written into the caches.
  int empty(int slots) {
    int found = 0;
    bool kind = false;
    for (int k = 0; k < slots; ++k) {
      if (k % burst == 0) kind = trial.cached();
      found += kind;
      trial.emptied(kind, kind ? cached : past_caches);
    }
    return found;
  }
};

}  // namespace

TEST(SlotTrial, AsksForTheKindThatIsEmptiedFaster) {
  Receiver near{{}, 3, 2}, far{{}, 2, 6};
  near.empty(64);
  far.empty(64);
  EXPECT_GT(near.empty(640), 600);
  EXPECT_LT(far.empty(640), 40);
}

TEST(SlotTrial, GoesOnTryingTheOther) {
  for (const int burst : {1, 2, 3, 4, 8}) {
    Receiver near{{}, 3, 2, burst}, far{{}, 2, 6, burst};
    near.empty(640);
    far.empty(640);
    EXPECT_LT(near.empty(960), 960) << burst;
    EXPECT_GT(far.empty(960), 0) << burst;
  }
}

TEST(SlotTrial, FollowsAProcessThatMoves) {
  Receiver receiver{{}, 3, 2};
  receiver.empty(640);
  receiver.cached = 9;
  receiver.empty(64);
  EXPECT_LT(receiver.empty(640), 40);
  receiver.cached = 2;
  receiver.empty(128);
  EXPECT_GT(receiver.empty(640), 600);
}

TEST(SlotTrial, IsNotMisledByATimeInWhichTheCoreWasLost) {
  Receiver receiver{{}, 3, 2};
  receiver.empty(640);
  receiver.trial.emptied(true, 1e6);
  EXPECT_GT(receiver.empty(640), 600);
}
