#include "mpi/support.hpp"
#include "support/long_lists.hpp"
#include <tridap/make.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/redistribute/gather.hpp>
#include <tridap/redistribute/redistribution.hpp>

// What a process holds of lists that stay on their processes.
namespace {

using namespace tridap;

using namespace long_lists;

TEST(ListsMemory, OfADistribution) {
  for (const Index step : {1, on::processes(MPI_COMM_WORLD), 1024}) {  // a remainder would store all on one process
    const std::vector<Index> ids = random_ids(MPI_COMM_WORLD, step);
    const DistArray array = listed(ids, MPI_COMM_WORLD);
    Reading reading;
    reading.most_listed = 0;
    const double held = most_held_by([&] { mpi::gather_distribution(array, MPI_COMM_WORLD, reading); });
    EXPECT_LE(held, bound(ids) + 8 * static_cast<double>(ids.size())) << "with the list itself";
  }
}

TEST(ListsMemory, OfAPlan) {
  const std::vector<Index> ids = random_ids(MPI_COMM_WORLD);
  const DistArray array = listed(ids, MPI_COMM_WORLD);
  Reading reading;
  reading.most_listed = 0;
  const Distribution lists = mpi::gather_distribution(array, MPI_COMM_WORLD, reading);
  const Distribution blocks = Distribution::make({lists.axis(0).size()}, {block()}, {lists.processes()});
  for (const bool forward : {true, false}) {
    const double held = most_held_by([&] {
      const redistribute::Redistribution plan(forward ? lists : blocks, forward ? blocks : lists, 8, MPI_COMM_WORLD);
    });
    EXPECT_LE(held, bound(ids));
  }
}

// The ids of a process are those that it has on either side.
TEST(ListsMemory, OfAPlanFromListsToLists) {
  const std::vector<Index> ids = random_ids(MPI_COMM_WORLD), others = random_ids(MPI_COMM_WORLD, 1, 6);
  Reading reading;
  reading.most_listed = 0;
  const Distribution from = mpi::gather_distribution(listed(ids, MPI_COMM_WORLD), MPI_COMM_WORLD, reading);
  const Distribution to = mpi::gather_distribution(listed(others, MPI_COMM_WORLD), MPI_COMM_WORLD, reading);
  double kept = 0;
  const double held = most_held_by([&] {
    const std::size_t before = memory_meter::held;
    const redistribute::Redistribution plan(from, to, 8, MPI_COMM_WORLD);
    kept = static_cast<double>(memory_meter::held - before) - static_cast<double>(plan.plan().memory());
  });
  EXPECT_LE(held, bound(ids) + bound(others));
  EXPECT_LE(kept, 1e6) << "besides the moves";
}

// Besides the plan: the distribution by positions. The root has all elements, and their ids.
TEST(ListsMemory, OfAGatherOfIdsWithGaps) {
  if (on::processes(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "one process has all lists";
  const std::vector<Index> ids = random_ids(MPI_COMM_WORLD, 1024);
  const DistArray array = listed(ids, MPI_COMM_WORLD);
  Reading reading;
  reading.most_listed = 0;
  const Distribution lists = mpi::gather_distribution(array, MPI_COMM_WORLD, reading);
  const double all = on::rank(MPI_COMM_WORLD) == 0 ? static_cast<double>(of_each * on::processes(MPI_COMM_WORLD)) : 0;
  const auto gathered = [&] { redistribute::gather(array, lists, MPI_COMM_WORLD); };
  gathered();  // what a communicator keeps
  EXPECT_LE(most_held_by(gathered), bound(ids) + 32 * static_cast<double>(ids.size()) + 100 * all);
}

}  // namespace
