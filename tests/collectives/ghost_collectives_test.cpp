#include "collectives/counted.hpp"
#include <tridap/ghosts/ghost_update.hpp>

namespace {

using counted::Counts;
using counted::second;
using tridap::Index;

TEST(GhostCollectives, UpdatesNeedNone) {
  const Index n = 3 * counted::processes();
  const tridap::Buffer local = tridap::allocate(tridap::element_type<double>(), {4});
  const auto array = tridap::make_ghosted(local, {(3 * counted::rank() + 3) % n}, MPI_COMM_WORLD);
  EXPECT_EQ(second([&] { return tridap::GhostUpdate(array, MPI_COMM_WORLD); }), (Counts{7, 0}));
  tridap::GhostUpdate update(array, MPI_COMM_WORLD);
  EXPECT_EQ(second([&] { update.update_ghosts(); }), (Counts{0, 0}));
  EXPECT_EQ(second([&] { update.sum_ghosts(); }), (Counts{0, 0}));
}

}  // namespace
