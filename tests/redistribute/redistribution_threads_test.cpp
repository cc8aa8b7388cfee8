#include "support/different_calls.hpp"
#include "support/parts.hpp"
#include "support/two_threads.hpp"
#include <tridap/make.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/redistribute/gather.hpp>
#include <tridap/redistribute/padding.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <gtest/gtest.h>

namespace {

using tridap::DistArray;
using tridap::Distribution;
using tridap::Index;
using tridap::redistribute::PlacedDistribution;
using tridap::redistribute::Redistribution;

Distribution blocks(Index n, Index processes) { return Distribution::make({n}, {tridap::block()}, {processes}); }
Distribution dealt(Index n, Index processes) { return Distribution::make({n}, {tridap::cyclic(2)}, {processes}); }

}  // namespace

TEST(RedistributionThreads, PlanAndMoveWithACommunicatorEach) {
  two_threads::run([](MPI_Comm comm, int number) {
    const Index rank = on::rank(comm), processes = on::processes(comm), n = 30 + number;
    for (int round = 0; round < 20; ++round) {
      Redistribution plan(PlacedDistribution(blocks(n, processes)), PlacedDistribution(dealt(n, processes)), 8, comm);
      const DistArray source = on::part_of(blocks(n, processes), rank);
      const Index first = std::get<tridap::Block>(source.dim_data[0].dist).start;
      auto* const values = static_cast<double*>(source.buffer.data);
      for (Index i = 0; i < source.buffer.shape[0]; ++i) values[i] = static_cast<double>(first + i + round);
      const DistArray whole = tridap::redistribute::allgather(plan(source), comm);
      for (Index i = 0; i < n; ++i)
        EXPECT_EQ(static_cast<const double*>(whole.buffer.data)[i], static_cast<double>(i + round));
    }
  });
}

TEST(DifferentCalls, AreAnErrorOnAllProcessesThatNamesBoth) {
  if (on::processes(MPI_COMM_WORLD) < 2) GTEST_SKIP() << "needs at least 2 processes";
  const Index rank = on::rank(MPI_COMM_WORLD), processes = on::processes(MPI_COMM_WORLD), n = 12;
  const DistArray part = on::part_of(blocks(n, processes), rank);
  const PlacedDistribution from(blocks(n, processes)), to(dealt(n, processes));
  Redistribution plan(from, to, 8, MPI_COMM_WORLD);
  different_calls::expect_errors({
      {"redistribute::gather", [&] { tridap::redistribute::gather(part, MPI_COMM_WORLD, 0); }},
      {"redistribute::allgather", [&] { tridap::redistribute::allgather(part, MPI_COMM_WORLD); }},
      {"redistribute::update_padding", [&] { tridap::redistribute::update_padding(part, MPI_COMM_WORLD); }},
      {"mpi::gather_distribution", [&] { tridap::mpi::gather_distribution(part, MPI_COMM_WORLD); }},
      {"Redistribution", [&] { Redistribution(to, from, 8, MPI_COMM_WORLD); }},
      {"a move of a Redistribution", [&] { plan(part); }},
  });
}
