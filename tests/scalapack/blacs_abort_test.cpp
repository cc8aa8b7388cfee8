#include "info.hpp"
#include "support.hpp"
#include "support/mpi_abort.hpp"

#include <numeric>

// What ends a program: a wrong call of the BLACS. TriDAP checks its arguments before, so that it is an Error. A wrong
// argument of a routine of ScaLAPACK ends nothing: PXERBLA prints a line and returns, and INFO says which it is.

extern "C" {
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridmap(int* context, int* ranks, int leading_dimension, int nprow, int npcol);
void Cblacs_abort(int context, int code);
void Cblacs_pinfo(int* number, int* processes);
void pdgetrf_(const int* m, const int* n, double* a, const int* ia, const int* ja, const int* desca, int* ipiv,
              int* info);
}

static bool is_spawned = false;  // alone, so that MPI_COMM_WORLD has one process

extern "C" int MPI_Comm_size(MPI_Comm comm, int* size) {
  const int status = PMPI_Comm_size(comm, size);
  if (is_spawned && comm == MPI_COMM_WORLD) *size = 1;
  return status;
}

namespace {

using namespace scalapack_test;
using tridap::scalapack::Ended;
using tridap::scalapack::Positive;

TEST(BlacsAbort, EndsAProgramThatAsksForAnIllegalGrid) {
  int handle = Csys2blacs_handle(MPI_COMM_WORLD), context = handle, rank = 0;
  EXPECT_THROW(Cblacs_gridmap(&context, &rank, 1, 0, 1), mpi_abort::Aborted);
  Cfree_blacs_system_handle(handle);
  EXPECT_THROW(Cblacs_abort(-1, 3), mpi_abort::Aborted);
}

TEST(BlacsAbort, IsAnErrorOfTridap) {
  for (const Index nprow : {Index{0}, Index{-1}, processes() + 1})
    EXPECT_TRUE(same_everywhere(thrown([&] { ProcessGrid(MPI_COMM_WORLD, nprow, 1); })));
  const auto twice = tridap::Distribution::make({4, 4}, {tridap::block(), tridap::whole()}, {processes(), 1});
  const std::vector<Index> beyond(static_cast<std::size_t>(processes()), processes());
  EXPECT_TRUE(same_everywhere(thrown([&] { ProcessGrid(MPI_COMM_WORLD, {twice, beyond}); })));
}

TEST(BlacsAbort, EndsAProgramThatHasSpawnedTheProcessesOfAGrid) {
  const Index all = processes();
  if (all == 1) GTEST_SKIP() << "needs at least 2 processes";
  MPI_Comm merged = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &merged);
  is_spawned = rank_here() == all - 1;  // and merged with the others
  int number = 0, together = 0, handle = Csys2blacs_handle(merged), context = handle;
  std::vector<int> ranks(static_cast<std::size_t>(all));
  std::iota(ranks.begin(), ranks.end(), 0);
  Cblacs_pinfo(&number, &together);  // as the first call of the BLACS does
  if (is_spawned) {
    EXPECT_THROW(Cblacs_gridmap(&context, ranks.data(), 1, 1, static_cast<int>(all)), mpi_abort::Aborted);
  }
  Cfree_blacs_system_handle(handle);
  const std::string said = thrown([&] { ProcessGrid(merged, 1, all); });
  EXPECT_TRUE(same_everywhere(said));
  on::expect_says(said, "MPI_COMM_WORLD of this process has 1");
  { const ProcessGrid grid(merged, 1, 1); }
  is_spawned = false;
  Cblacs_pinfo(&number, &together);
  { const ProcessGrid grid(merged, 1, all); }
  MPI_Comm_free(&merged);
}

TEST(Pxerbla, ReturnsAndInfoNamesTheArgument) {
  const ProcessGrid grid(MPI_COMM_WORLD, 1, processes());
  const int n = 4, one = 1;
  const Desc oblong{1, grid.context(), n, n, 2, 3, 0, 0, n};  // P?GETRF needs MB_ = NB_
  std::vector<double> a(16 * 4);
  std::vector<int> pivots(16);
  int info = 0;
  pdgetrf_(&n, &n, a.data(), &one, &one, oblong.data(), pivots.data(), &info);
  EXPECT_EQ(info, -606);
  const std::string said = thrown([&] { tridap::scalapack::must_succeed({'D', "GETRF", info}, MPI_COMM_WORLD); });
  EXPECT_TRUE(same_everywhere(said));
  on::expect_says(said, "PDGETRF ended with INFO = -606: entry 6 of argument 6 had an illegal value");
}

TEST(Info, OfOneProcessIsAnErrorOnAll) {
  const auto says = [](Ended ended, const char* words) {
    if (rank_here() != processes() - 1) ended.info = 0;
    const std::string said = thrown([&] { tridap::scalapack::must_succeed(ended, MPI_COMM_WORLD); });
    EXPECT_TRUE(same_everywhere(said));
    on::expect_says(said, words);
  };
  says({'S', "GEQRF", -3}, "PSGEQRF ended with INFO = -3: argument 3 had an illegal value");
  says({'C', "GETRF", 5, Positive::zero_pivot}, "the pivot in row 4 (counted from 0) is exactly 0");
  says({'Z', "POTRF", 2, Positive::not_definite}, "the leading minor of order 2 is not positive");
  says({'Z', "HEEV", 2, Positive::not_converged, 5}, "value 1 (counted from 0) did not converge");
  says({'D', "SYEV", 6, Positive::not_converged, 5}, "the processes computed different values");
  EXPECT_NO_THROW(tridap::scalapack::must_succeed({'D', "GEQRF", 0}, MPI_COMM_WORLD));
}

}  // namespace
