#include "support.hpp"

extern "C" {
int Csys2blacs_handle(MPI_Comm comm);
void Cblacs_gridinit(int* context, const char* order, int nprow, int npcol);
void Cblacs_gridinfo(int context, int* nprow, int* npcol, int* myrow, int* mycol);
void Cblacs_gridexit(int context);
void Cblacs_get(int context, int what, int* value);
MPI_Comm Cblacs2sys_handle(int handle);
void Cfree_blacs_system_handle(int handle);
}

namespace {

using namespace scalapack_test;

struct Info {
  int nprow = -1, npcol = -1, myrow = -1, mycol = -1;
  explicit Info(int context) {
    if (context >= 0) Cblacs_gridinfo(context, &nprow, &npcol, &myrow, &mycol);
  }
};

void expect_places(const ProcessGrid& grid) {
  const Info info(grid.context()), turned(grid.transposed_context());
  ASSERT_EQ(grid.place().has_value(), info.myrow >= 0);
  if (!grid.place()) return;
  EXPECT_EQ(info.nprow, grid.nprow());
  EXPECT_EQ(info.npcol, grid.npcol());
  EXPECT_EQ((*grid.place())[0], info.myrow);
  EXPECT_EQ((*grid.place())[1], info.mycol);
  EXPECT_EQ(turned.nprow, info.npcol);
  EXPECT_EQ(turned.myrow, info.mycol);
  EXPECT_EQ(turned.mycol, info.myrow);
  EXPECT_EQ(grid.ranks()[static_cast<std::size_t>(info.myrow * info.npcol + info.mycol)], rank_here());
}

TEST(ScalapackGrid, HasThePlacesThatTheBlacsHave) {
  Random random(1);
  for (int round = 0; round < 20; ++round) expect_places(some_grid(random));
}

TEST(ScalapackGrid, OfAContextOfTheCallerHasItsPlaces) {
  Random random(2);
  for (const char* order : {"R", "C"}) {
    MPI_Comm backwards = MPI_COMM_NULL;  // so that the BLACS number the processes in another order
    MPI_Comm_split(MPI_COMM_WORLD, 0, static_cast<int>(-rank_here()), &backwards);
    int context = Csys2blacs_handle(backwards);
    const int nprow = 1 + pick(random, static_cast<int>(processes()));
    Cblacs_gridinit(&context, order, nprow, static_cast<int>(processes()) / nprow);
    {
      const auto grid = ProcessGrid::of_context(context, MPI_COMM_WORLD);
      expect_places(grid);
    }
    if (context >= 0) {
      EXPECT_EQ(Info(context).nprow, nprow) << "the caller's context was ended";
      Cblacs_gridexit(context);
    }
    MPI_Comm_free(&backwards);
  }
}

TEST(ScalapackGrid, OfAPlacementHasItsRanks) {
  const Index all = processes();
  std::vector<Index> ranks;
  for (Index r = 0; r < all; ++r) ranks.push_back(all - 1 - r);
  const auto distribution =
      Distribution::make({9, 7}, {tridap::cyclic(2), tridap::cyclic(3)}, tridap::near_square_grid(all, 2));
  const ProcessGrid grid(MPI_COMM_WORLD, {distribution, ranks});
  expect_places(grid);
  EXPECT_EQ(grid.ranks(), ranks);
}

TEST(ScalapackGrid, RefusesWhatIsNoGridOnEveryProcess) {
  const auto all = static_cast<int>(processes());
  EXPECT_TRUE(same_everywhere(thrown([&] { ProcessGrid(MPI_COMM_WORLD, all + 1, 1); })));
  EXPECT_TRUE(same_everywhere(thrown([&] { ProcessGrid(MPI_COMM_WORLD, 0, 1); })));
  EXPECT_TRUE(same_everywhere(thrown([&] { ProcessGrid(MPI_COMM_WORLD, Index{1} << 40, Index{1} << 40); })));
  EXPECT_TRUE(same_everywhere(thrown([&] { ProcessGrid(MPI_COMM_WORLD, rank_here() == all - 1 ? -1 : 1, 1); })));
  EXPECT_TRUE(same_everywhere(thrown([&] { ProcessGrid::of_context(-1, MPI_COMM_WORLD); })));
  const auto line = Distribution::make({9}, {tridap::block()}, {all});
  EXPECT_TRUE(same_everywhere(thrown([&] { ProcessGrid(MPI_COMM_WORLD, {line}); })));
  const auto rows = Distribution::make({9, 9}, {tridap::block(), tridap::whole()}, {all, 1});
  EXPECT_TRUE(same_everywhere(thrown([&] {
    ProcessGrid(MPI_COMM_WORLD, {rows, std::vector<Index>(static_cast<std::size_t>(all), all)});
  })));
}

TEST(ScalapackGrid, RefusesShapesThatDifferBetweenProcesses) {
  const auto all = static_cast<int>(processes());
  if (all == 1) GTEST_SKIP() << "needs at least 2 processes";
  EXPECT_TRUE(same_everywhere(
      thrown([&] { ProcessGrid(MPI_COMM_WORLD, rank_here() == 0 ? 1 : all, rank_here() == 0 ? all : 1); })));
}

TEST(ScalapackGrid, RefusesOrdersThatDifferBetweenProcesses) {
  if (processes() < 4) GTEST_SKIP() << "needs at least 4 processes";
  const Order order = rank_here() == 0 ? Order::row_major : Order::column_major;
  EXPECT_TRUE(same_everywhere(thrown([&] { ProcessGrid(MPI_COMM_WORLD, 2, 2, order); })));
}

// BLACS_GRIDINIT orders the first processes along the rows for 'R', and down the columns for 'C'.
TEST(ScalapackGrid, OrdersRanksAsGridinitDoes) {
  const auto all = static_cast<int>(processes());
  const int nprow = all >= 4 ? 2 : 1, npcol = all / nprow;
  for (const Order order : {Order::row_major, Order::column_major}) {
    const ProcessGrid grid(MPI_COMM_WORLD, nprow, npcol, order);
    int context = Csys2blacs_handle(MPI_COMM_WORLD);
    Cblacs_gridinit(&context, order == Order::row_major ? "R" : "C", nprow, npcol);
    const Info theirs(context), ours(grid.context());
    EXPECT_EQ(theirs.myrow, ours.myrow);
    EXPECT_EQ(theirs.mycol, ours.mycol);
    if (context >= 0) Cblacs_gridexit(context);
  }
}

// The BLACS have one handle for a communicator, and count no users of it.
TEST(ScalapackGrid, LivesBesideOthersOfItsCommunicator) {
  MPI_Comm comm = MPI_COMM_NULL;  // not MPI_COMM_WORLD, whose handle is never freed
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const int theirs = Csys2blacs_handle(comm);
  int context = theirs, system = -1;
  Cblacs_gridinit(&context, "R", 1, static_cast<int>(processes()));
  {
    ProcessGrid first(comm, 1, processes());
    const ProcessGrid second(comm, processes(), 1);
    first.close();
    expect_places(second);
    for (const int of : {context, second.context()}) {  // as routines of ScaLAPACK do, which make contexts of their own
      Cblacs_get(of, 10, &system);
      MPI_Comm found = Cblacs2sys_handle(system);
      int same = MPI_UNEQUAL;
      if (found != MPI_COMM_NULL) MPI_Comm_compare(found, comm, &same);
      EXPECT_EQ(same, MPI_CONGRUENT);
    }
  }
  EXPECT_EQ(Cblacs2sys_handle(theirs), comm) << "the caller's handle was freed";
  Cblacs_gridexit(context);
  Cfree_blacs_system_handle(theirs);
  MPI_Comm_free(&comm);
}

TEST(ScalapackGrid, IsClosedOnce) {
  ProcessGrid grid(MPI_COMM_WORLD, 1, processes());
  const ProcessGrid moved(std::move(grid));
  expect_places(moved);
  grid.close();  // has nothing
  ProcessGrid other(MPI_COMM_WORLD, processes(), 1);
  other.close();
  other.close();
}

TEST(ScalapackGrid, RefusesPlacementsBeyondTheProcessesOrDifferent) {
  const Index all = processes();
  if (all == 1) GTEST_SKIP() << "one process has one placement";
  const auto rows = Distribution::make({2 * all, 2}, {tridap::block(), tridap::whole()}, {all, 1});
  std::vector<Index> ranks(static_cast<std::size_t>(all));
  for (Index r = 0; r < all; ++r) ranks[static_cast<std::size_t>(r)] = r;
  std::vector<Index> beyond = ranks, turned(ranks.rbegin(), ranks.rend());
  beyond[0] = all;
  std::string said = thrown([&] { ProcessGrid(MPI_COMM_WORLD, {rows, beyond}); });
  EXPECT_TRUE(same_everywhere(said)) << said;
  on::expect_says(said, "a part on rank " + std::to_string(all) + ", must be less than the");
  said = thrown([&] { ProcessGrid(MPI_COMM_WORLD, {rows, rank_here() == 1 ? turned : ranks}); });
  EXPECT_TRUE(same_everywhere(said)) << said;
  on::expect_says(said, "orders the ranks of the grid differently from rank 0");
}

}  // namespace
