#include "collectives/counted.hpp"
#include <tridap/ghosts/ghost_update.hpp>
#include <tridap/petsc.hpp>
#include <tridap/tridap.h>

#include <functional>

// C makes as many collectives as C++, or fewer. A check of one argument more, that of `ghosts`, is the exception.

namespace {

using counted::second;

long of(const std::function<int()>& call) {
  return second([&] { EXPECT_EQ(call(), TRIDAP_OK) << tridap_message(); }).messages;
}

class CPetscCollectives : public testing::Test {
 protected:
  const tridap::Distribution distribution = tridap::Distribution::make(
      {12, 9}, {tridap::block(), tridap::block()}, tridap::near_square_grid(counted::processes(), 2));
  const tridap::DistArray x = counted::part_of(distribution);
  tridap_distribution layout{};
  tridap_array array{};

  CPetscCollectives() {
    const std::int64_t shape[] = {12, 9};
    EXPECT_EQ(tridap_distribute(2, shape, "b,b", MPI_COMM_WORLD, nullptr, &layout), TRIDAP_OK) << tridap_message();
    EXPECT_EQ(tridap_allocate(layout, TRIDAP_FLOAT64, TRIDAP_ROW_MAJOR, &array), TRIDAP_OK) << tridap_message();
  }
  ~CPetscCollectives() override {
    tridap_release(array.number);
    tridap_release(layout.number);
  }
};

TEST_F(CPetscCollectives, OfVecsAreThoseOfCpp) {
  const auto cpp = second([&] {
    Vec vec = tridap::petsc::import_array(x, MPI_COMM_WORLD, tridap::Copy::never).vec;
    VecDestroy(&vec);
  });
  EXPECT_LE(of([&] {
              void* made = nullptr;
              const int status = tridap_vec_of_array(array, nullptr, TRIDAP_COPY_NEVER, &made, nullptr);
              auto* vec = static_cast<Vec>(made);
              VecDestroy(&vec);
              return status;
            }),
            cpp.messages);
}

TEST_F(CPetscCollectives, OfDmdasAreThoseOfCpp) {
  const auto cpp = second([&] {
    DM dm = tridap::petsc::create_dmda(distribution, MPI_COMM_WORLD);
    DMDestroy(&dm);
  });
  EXPECT_LE(of([&] {
              void* made = nullptr;
              const int status = tridap_dmda_of(layout, nullptr, &made);
              auto* dm = static_cast<DM>(made);
              DMDestroy(&dm);
              return status;
            }),
            cpp.messages);
  DM dm = tridap::petsc::create_dmda(distribution, MPI_COMM_WORLD);
  EXPECT_EQ(of([&] {
              tridap_distribution made{};
              const int status = tridap_distribution_of_dmda(dm, 0, MPI_COMM_WORLD, &made);
              tridap_release(made.number);
              return status;
            }),
            1);
  DMDestroy(&dm);
}

TEST_F(CPetscCollectives, OfGhostedVecsAreThoseOfCpp) {
  if (counted::processes() == 1) GTEST_SKIP() << "one process has no ghosts";
  const auto p = static_cast<PetscInt>(counted::processes());
  const PetscInt ghost = (3 * static_cast<PetscInt>(counted::rank()) + 3) % (3 * p);
  Vec vec = nullptr;
  ASSERT_EQ(VecCreateGhost(MPI_COMM_WORLD, 3, 3 * p, 1, &ghost, &vec), 0);
  const auto cpp = second([&] { tridap::GhostUpdate(tridap::petsc::export_ghosted(vec), MPI_COMM_WORLD); });
  EXPECT_LE(of([&] {
              tridap_ghosts made{};
              const int status = tridap_ghosts_of_vec(vec, MPI_COMM_WORLD, &made);
              tridap_release(made.number);
              return status;
            }),
            cpp.messages);
  ASSERT_EQ(VecDestroy(&vec), 0);
}

}  // namespace
