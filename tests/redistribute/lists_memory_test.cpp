#include "mpi/support.hpp"
#include "support/memory_meter.hpp"
#include <tridap/make.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/redistribute/gather.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <algorithm>
#include <random>

// What a process holds of lists that stay on their processes.
namespace {

using namespace tridap;

constexpr Index of_each = 100'000;

/// Ids that are dealt and ordered at random, each once: multiples of `step`.
std::vector<Index> random_ids(MPI_Comm comm, Index step = 1, std::uint64_t seed = 5) {
  const auto processes = static_cast<std::uint64_t>(on::processes(comm));
  std::mt19937_64 random(seed);
  std::vector<Index> ids;
  for (Index id = 0; id < of_each * on::processes(comm); ++id)
    if (static_cast<int>(random() % processes) == on::rank(comm)) ids.push_back(step * id);
  std::shuffle(ids.begin(), ids.end(), random);
  return ids;
}

DistArray listed(const std::vector<Index>& ids, MPI_Comm comm) {
  Dimension dimension{of_each * on::processes(comm), on::processes(comm), on::rank(comm), false, {}, {}};
  const auto count = static_cast<Index>(ids.size());
  dimension.dist = Unstructured{row_major(ids.data(), {count}), true};
  DistArray array;
  array.dim_data = {dimension};
  array.buffer = allocate(element_type<double>(), {count});
  return array;
}

/// The bytes that `step` holds at once beyond what is held before.
template <class Step>
double most_held_by(Step&& step) {
  const std::size_t before = memory_meter::held;
  memory_meter::most_held = before;
  step();
  return static_cast<double>(memory_meter::most_held - before);
}

/// Of a process with n ids of N, on P processes: 48 (n + N / P) bytes and 1 MB.
double bound(const std::vector<Index>& ids) { return 48 * (static_cast<double>(ids.size()) + of_each) + 1e6; }

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

// On the root, besides the elements and their ids, which come in any order.
TEST(ListsMemory, OfAGatherOfIdsWithGaps) {
  const std::vector<Index> ids = random_ids(MPI_COMM_WORLD, 1024);
  const DistArray array = listed(ids, MPI_COMM_WORLD);
  Reading reading;
  reading.most_listed = 0;
  const Distribution lists = mpi::gather_distribution(array, MPI_COMM_WORLD, reading);
  const double whole = 8 * static_cast<double>(of_each * on::processes(MPI_COMM_WORLD));
  const auto gathered = [&] { redistribute::gather(array, lists, MPI_COMM_WORLD); };
  gathered();  // what a communicator keeps
  EXPECT_LE(most_held_by(gathered), bound(ids) + (on::rank(MPI_COMM_WORLD) == 0 ? 3 * whole : 0));
}

}  // namespace
