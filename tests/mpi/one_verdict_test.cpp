#include <gtest/gtest.h>
#include <mpi.h>

namespace {

TEST(OneVerdict, FailsOnRankOneAlone) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT_NE(rank, 1);
}

TEST(OneVerdict, TheNextTestIsSound) {}

}  // namespace
