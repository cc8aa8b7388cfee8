#include <gtest/gtest.h>
#include <mpi.h>

namespace {

TEST(OneVerdict, FailsOnRankOneAlone) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT_NE(rank, 1);
}

TEST(OneVerdict, SkippedOnRankTwoAlone) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 2) GTEST_SKIP() << "this is rank 2";
}

TEST(OneVerdict, SkippedOnRankZeroAlone) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) GTEST_SKIP() << "this is rank 0";
}

TEST(OneVerdict, SkippedOnEveryProcess) { GTEST_SKIP() << "no process runs it"; }

TEST(OneVerdict, TheNextTestFindsAllProcesses) {
  int size = 0, counted = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(MPI_IN_PLACE, &counted, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(counted, size);
}

}  // namespace
