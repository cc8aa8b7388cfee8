#include "ring.hpp"

#include <gtest/gtest.h>

namespace {

using dap::redistribute::SlotTrial;

/// A receiver whose sender writes every slot as it is asked to.
struct Receiver {
  SlotTrial trial;
  double past_caches, cached;  ///< what a byte of either kind takes

  /// How many of the next `slots` were written into the caches.
  int empty(int slots) {
    int found = 0;
    for (int k = 0; k < slots; ++k) {
      const bool kind = trial.cached();
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
  Receiver near{{}, 3, 2}, far{{}, 2, 6};
  EXPECT_LT(near.empty(640), 640);
  EXPECT_GT(far.empty(640), 1);
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
