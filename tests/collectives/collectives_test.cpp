#include "collectives/counted.hpp"
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/redistribute/gather.hpp>
#include <tridap/redistribute/padding.hpp>
#include <tridap/redistribute/redistribution.hpp>

// Each collective is the latency of all processes, however small its message. These are what is measured, so that none
// grows unseen.

namespace {

using counted::Counts;
using counted::part_of;
using counted::second;
using tridap::DistArray;
using tridap::Distribution;
using tridap::Index;
using tridap::redistribute::Redistribution;

const MPI_Comm world = MPI_COMM_WORLD;

class Collectives : public counted::OfKind {
 protected:
  const bool lists = GetParam() == "lists";
};

TEST_P(Collectives, OfChecks) {
  EXPECT_EQ(second([&] { return tridap::mpi::check(x, world); }), (Counts{lists ? 5 : 2, 0}));
  EXPECT_EQ(second([&] { return tridap::mpi::gather_distribution(x, world); }), (Counts{lists ? 4 : 2, 0}));
}

TEST_P(Collectives, OfPlansAndMoves) {
  const Index n = distribution.axis(0).size();
  const bool line = distribution.ndim() == 1;
  const Distribution to =
      line ? Distribution::make({n}, {tridap::cyclic(3)}, {counted::processes()})
           : Distribution::make({n, 8}, {tridap::whole(), tridap::cyclic(3)}, {1, counted::processes()});
  EXPECT_EQ(second([&] { return Redistribution(distribution, to, 8, world); }), (Counts{1, 0}));
  Redistribution move(distribution, to, 8, world);
  const DistArray y = part_of(to);
  EXPECT_EQ(second([&] { move(x, y); }), (Counts{1, 0}));
  EXPECT_LE(second([&] { return move(x); }).messages, 2);  // mostly 1
}

// Without a distribution these functions find it at each call.
TEST_P(Collectives, OfGathersAndUpdatesOfPadding) {
  EXPECT_EQ(second([&] { return tridap::redistribute::gather(x, world); }), (Counts{lists ? 5 : 3, 0}));
  EXPECT_EQ(second([&] { return tridap::redistribute::allgather(x, world); }), (Counts{lists ? 5 : 3, 0}));
  EXPECT_EQ(second([&] { return tridap::redistribute::gather(x, distribution, world); }), (Counts{2, 0}));
  EXPECT_EQ(second([&] { return tridap::redistribute::allgather(x, distribution, world); }), (Counts{2, 0}));
  EXPECT_EQ(second([&] { tridap::redistribute::update_padding(x, world); }), (Counts{lists ? 6 : 4, 0}));
  tridap::redistribute::PaddingUpdate update(x.buffer, distribution, world);
  EXPECT_EQ(second([&] { update.update(); }), (Counts{0, 0}));
}

// Lists that stay on their processes: what is known there is told, or asked for in four messages.
TEST(CollectivesOfDirectories, OfChecksPlansAndGathers) {
  const DistArray x = part_of(counted::distribution_of("lists"));
  const Index processes = counted::processes(), n = 6 * processes;
  tridap::Reading reading;
  reading.most_listed = 0;
  if (processes == 1) GTEST_SKIP() << "one process has all lists";
  EXPECT_EQ(second([&] { return tridap::mpi::gather_distribution(x, world, reading); }), (Counts{5, 0}));
  const Distribution lists = tridap::mpi::gather_distribution(x, world, reading);
  const Distribution to = Distribution::make({n, 8}, {tridap::cyclic(3), tridap::whole()}, {processes, 1});
  EXPECT_EQ(second([&] { return Redistribution(lists, to, 8, world); }), (Counts{4, 0}));
  EXPECT_EQ(second([&] { return Redistribution(to, lists, 8, world); }), (Counts{4, 0}));
  EXPECT_EQ(second([&] { return Redistribution(lists, lists, 8, world); }), (Counts{6, 0}));
  EXPECT_EQ(second([&] { return tridap::redistribute::gather(x, lists, world); }), (Counts{4, 0}));
}

INSTANTIATE_TEST_SUITE_P(, Collectives, testing::ValuesIn(counted::kinds), counted::name_of);

}  // namespace
