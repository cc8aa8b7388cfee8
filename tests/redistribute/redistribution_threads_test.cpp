#include "support/two_threads.hpp"
#include <tridap/make.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/redistribute/gather.hpp>
#include <tridap/redistribute/padding.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

using tridap::DistArray;
using tridap::Distribution;
using tridap::Index;
using tridap::redistribute::PlacedDistribution;
using tridap::redistribute::Redistribution;

Distribution blocks(Index n, Index processes) { return Distribution::make({n}, {tridap::block()}, {processes}); }
Distribution dealt(Index n, Index processes) { return Distribution::make({n}, {tridap::cyclic(2)}, {processes}); }

DistArray part_of(const Distribution& distribution, Index rank) {
  DistArray made;
  made.dim_data = distribution.dim_data(rank);
  made.buffer = tridap::allocate(tridap::element_type<double>(), distribution.local_shape(rank));
  auto* const values = static_cast<double*>(made.buffer.data);
  for (Index i = 0; i < made.buffer.shape[0]; ++i) values[i] = 0;
  return made;
}

std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const tridap::Error& error) {
    return error.what();
  }
  return "no error";
}

int here() { return on::rank(MPI_COMM_WORLD); }
int all() { return on::processes(MPI_COMM_WORLD); }

}  // namespace

TEST(RedistributionThreads, PlanAndMoveWithACommunicatorEach) {
  two_threads::run([](MPI_Comm comm, int number) {
    const Index rank = on::rank(comm), processes = on::processes(comm), n = 30 + number;
    for (int round = 0; round < 20; ++round) {
      Redistribution plan(PlacedDistribution(blocks(n, processes)), PlacedDistribution(dealt(n, processes)), 8, comm);
      const DistArray source = part_of(blocks(n, processes), rank);
      const Index first = std::get<tridap::Block>(source.dim_data[0].dist).start;
      auto* const values = static_cast<double*>(source.buffer.data);
      for (Index i = 0; i < source.buffer.shape[0]; ++i) values[i] = static_cast<double>(first + i + round);
      const DistArray whole = tridap::redistribute::allgather(plan(source), comm);
      for (Index i = 0; i < n; ++i)
        EXPECT_EQ(static_cast<const double*>(whole.buffer.data)[i], static_cast<double>(i + round));
    }
  });
}

// Each of these calls against each other one.
TEST(DifferentCalls, AreAnErrorOnAllProcessesThatNamesBoth) {
  if (all() < 2) GTEST_SKIP() << "needs at least 2 processes";
  const Index rank = here(), processes = all(), n = 12;
  const DistArray part = part_of(blocks(n, processes), rank);
  Redistribution plan(PlacedDistribution(blocks(n, processes)), PlacedDistribution(dealt(n, processes)), 8,
                      MPI_COMM_WORLD);
  const std::vector<std::pair<std::string, std::function<void()>>> calls = {
      {"redistribute::gather", [&] { tridap::redistribute::gather(part, MPI_COMM_WORLD, 0); }},
      {"redistribute::allgather", [&] { tridap::redistribute::allgather(part, MPI_COMM_WORLD); }},
      {"redistribute::update_padding", [&] { tridap::redistribute::update_padding(part, MPI_COMM_WORLD); }},
      {"mpi::gather_distribution", [&] { tridap::mpi::gather_distribution(part, MPI_COMM_WORLD); }},
      {"Redistribution",
       [&] {
         Redistribution(PlacedDistribution(dealt(n, processes)), PlacedDistribution(blocks(n, processes)), 8,
                        MPI_COMM_WORLD);
       }},
      {"a move of a Redistribution", [&] { plan(part); }},
  };
  for (const auto& [first_name, first] : calls)
    for (const auto& [other_name, other] : calls) {
      if (first_name == other_name) continue;
      const std::string error = error_of(rank == 0 ? first : other);
      EXPECT_EQ(error.find("rank 0 calls " + first_name + ", "), std::size_t{0}) << error;
      EXPECT_NE(error.find(other_name), std::string::npos) << error;
    }
  for (const auto& [name, call] : calls) EXPECT_EQ(error_of(call), "no error") << name;
}
