#include "dense_support.hpp"

// Which communicators and contexts of the BLACS a dense function makes, and when they are freed.

static int made_communicators = 0;

extern "C" {
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  ++made_communicators;
  return PMPI_Comm_create(comm, group, made);
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  ++made_communicators;
  return PMPI_Comm_split(comm, color, key, made);
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  ++made_communicators;
  return PMPI_Comm_dup(comm, made);
}
}

namespace {

using namespace dense_test;

Held<double> definite_part(Lines lines) {
  const Index n = 3 * processes();
  Whole<double> whole(n, n);
  for (Index i = 0; i < n; ++i) whole.at(i, i) = 2;
  return part_of(whole, Distribution::make({n, n}, {tridap::cyclic(2), tridap::cyclic(2)}, {processes(), 1}), lines);
}

TEST(ScalapackContexts, AreMadeInTheFirstCallOfAShape) {
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const auto made_in = [&](bool overwrite) {
    const Held<double> a = definite_part(overwrite ? Lines::rows : Lines::columns);  // rows: on the transposed grid
    DenseOptions options;
    options.overwrite_a = overwrite;
    made_communicators = 0;
    sl::cholesky(a.array, comm, true, options);
    return made_communicators;
  };
  EXPECT_GT(made_in(false), 0);
  EXPECT_EQ(made_in(false), 0);
  EXPECT_GT(made_in(true), 0);
  EXPECT_EQ(made_in(true), 0);
  EXPECT_EQ(made_in(false), 0);
  PMPI_Comm_free(&comm);
}

// The BLACS number contexts by the first number that is free.
TEST(ScalapackContexts, AreFreedAfterTheirCommunicator) {
  const Held<double> a = definite_part(Lines::columns);
  const auto next_context = [] { return ProcessGrid(MPI_COMM_WORLD, 1, processes()).context(); };
  const int before = next_context();
  for (int round = 0; round < 8; ++round) {
    MPI_Comm comm = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    sl::cholesky(a.array, comm);
    PMPI_Comm_free(&comm);
  }
  EXPECT_LE(next_context(), before + 2) << "contexts of freed communicators are left";
}

}  // namespace
