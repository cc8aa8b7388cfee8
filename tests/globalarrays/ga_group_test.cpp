#include "random_arrays.hpp"
#include <tridap/globalarrays/array.hpp>
#include <tridap/globalarrays/export.hpp>
#include <tridap/globalarrays/import.hpp>
#include <tridap/globalarrays/session.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

extern "C" {
#include <ga-mpi.h>
#include <ga.h>
}

#include <algorithm>

namespace {

bool last_group = false;

}  // namespace

// Found in place of GA's own by the library (the linker wraps it).
extern "C" int __real_GA_Pgroup_create(int* list, int count);
extern "C" int __wrap_GA_Pgroup_create(int* list, int count) {
  const int number = __real_GA_Pgroup_create(list, count);
  return last_group ? 32767 : number;
}

namespace {

using arrays::expect_says;
using arrays::List;
using arrays::processes;
using arrays::rank;
using arrays::real;
using arrays::thrown;
using tridap::globalarrays::create;
using tridap::globalarrays::GlobalArray;
using tridap::globalarrays::make_group;
using tridap::redistribute::PlacedDistribution;

[[maybe_unused]] const auto* const session = testing::AddGlobalTestEnvironment(new arrays::WithSession);

MPI_Comm split(int color, int key = 0) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm);
  return comm;
}

PlacedDistribution line(int places) {
  return {oracle::Array({oracle::block(List(static_cast<std::size_t>(places), 2))}).distribution()};
}

TEST(MakeGroup, OfAllProcessesNeedsNone) {
  EXPECT_EQ(make_group(MPI_COMM_WORLD), std::nullopt);
  MPI_Comm backwards = split(0, -rank());
  EXPECT_EQ(make_group(backwards), std::nullopt);
  EXPECT_EQ(make_group(MPI_COMM_NULL), std::nullopt);
  MPI_Comm_free(&backwards);
}

TEST(MakeGroup, SeveralAreMadeAtOnceAndOneOnlyOnce) {
  if (processes() < 2) GTEST_SKIP() << "needs at least 2 processes";
  MPI_Comm mine = split(rank() % 2, -rank());
  const std::optional<int> group = make_group(mine);
  ASSERT_TRUE(group);
  int size = 0, same = MPI_UNEQUAL;
  MPI_Comm_size(mine, &size);
  EXPECT_EQ(GA_Pgroup_nnodes(*group), size);
  MPI_Comm_compare(mine, GA_MPI_Comm_pgroup(*group), &same);
  EXPECT_TRUE(same == MPI_SIMILAR || same == MPI_CONGRUENT);
  List everybody = arrays::in_order(processes());
  std::vector<int> members(everybody.begin(), everybody.end());
  const int before = GA_Pgroup_create(members.data(), processes());
  EXPECT_EQ(make_group(mine), group);
  EXPECT_EQ(GA_Pgroup_create(members.data(), processes()), before + 1);  // GA has not heard of another
  EXPECT_EQ(make_group(rank() % 2 == 0 ? mine : MPI_COMM_NULL), rank() % 2 == 0 ? group : std::nullopt);
  MPI_Comm_free(&mine);
}

TEST(MakeGroup, WhateverGasDefaultGroupIs) {
  if (processes() < 3) GTEST_SKIP() << "needs at least 3 processes";
  MPI_Comm upper = split(rank() > 0 ? 0 : MPI_UNDEFINED);
  const std::optional<int> group = make_group(upper);
  EXPECT_EQ(group.has_value(), rank() > 0);
  if (group) GA_Pgroup_set_default(*group);
  MPI_Comm last = split(rank() > 1 ? 0 : MPI_UNDEFINED);
  const std::optional<int> smaller = make_group(last);
  EXPECT_EQ(smaller.has_value(), rank() > 1);
  if (smaller) {
    EXPECT_EQ(GA_Pgroup_nnodes(*smaller), processes() - 2);
    EXPECT_EQ(GA_Pgroup_absolute_id(*smaller, 0), 2);
    EXPECT_EQ(GA_Pgroup_get_default(), *group);
  }
  const int before = GA_Pgroup_get_default();
  GlobalArray everywhere = create(line(processes()), real, MPI_COMM_WORLD);  // for which GA waits for that group alone
  EXPECT_EQ(everywhere.placed().distribution().processes(), processes());
  EXPECT_EQ(GA_Pgroup_get_default(), before);
  everywhere = {};
  EXPECT_EQ(tridap::globalarrays::collect(), 1);
  if (group) GA_Pgroup_set_default(GA_Pgroup_get_world());
  EXPECT_EQ(create(line(processes()), real, MPI_COMM_WORLD).placed().distribution().processes(), processes());
  if (upper != MPI_COMM_NULL) MPI_Comm_free(&upper);
  if (last != MPI_COMM_NULL) MPI_Comm_free(&last);
}

// GA_Nodeid and GA_Nnodes then speak of that group.
TEST(MakeGroup, AllElseGoesOnWhateverGasDefaultGroupIs) {
  if (processes() < 3) GTEST_SKIP() << "needs at least 3 processes";
  MPI_Comm upper = split(rank() > 0 ? 0 : MPI_UNDEFINED);
  const std::optional<int> group = make_group(upper);
  if (group) GA_Pgroup_set_default(*group);
  const GlobalArray array = create(line(processes()), real, MPI_COMM_WORLD);
  EXPECT_EQ(GA_Pgroup_nnodes(GA_Get_pgroup(array.handle())), processes());
  const tridap::globalarrays::ExportedArray exported = tridap::globalarrays::export_array(array);
  EXPECT_EQ(tridap::globalarrays::placed(array.handle()).process(rank()), rank());
  EXPECT_EQ(exported.array.buffer.shape, List{2});
  EXPECT_TRUE(tridap::globalarrays::import_array(exported.array, MPI_COMM_WORLD, tridap::Copy::never).receipt.shared);
  EXPECT_EQ(tridap::globalarrays::collect(), 0);
  if (group) GA_Pgroup_set_default(GA_Pgroup_get_world());
  if (upper != MPI_COMM_NULL) MPI_Comm_free(&upper);
}

TEST(MakeGroup, DifferentCommunicatorsAreAnErrorOnAll) {
  if (processes() < 2) GTEST_SKIP() << "needs at least 2 processes";
  EXPECT_THROW(make_group(rank() == 0 ? MPI_COMM_SELF : MPI_COMM_WORLD), tridap::Error);
}

// GA's fence on a group aborts where a process has an array of another group.
TEST(MakeGroup, ArraysOfTwoGroupsOnOneProcessAreRefused) {
  if (processes() < 3) GTEST_SKIP() << "needs at least 3 processes";
  MPI_Comm lower = split(rank() < 2 ? 0 : MPI_UNDEFINED), upper = split(rank() > 0 ? 0 : MPI_UNDEFINED);
  make_group(lower);
  make_group(upper);
  GlobalArray held;
  if (lower != MPI_COMM_NULL) held = create(line(2), real, lower);
  const GlobalArray everywhere = create(line(processes()), real, MPI_COMM_WORLD);
  GA_Sync();
  if (upper != MPI_COMM_NULL)
    expect_says(thrown([&] { create(line(processes() - 1), real, upper); }, upper),
                "if a process has arrays of two groups");
  held = {};
  make_group(MPI_COMM_NULL);  // frees what nobody holds
  if (upper != MPI_COMM_NULL) {
    EXPECT_NO_THROW(create(line(processes() - 1), real, upper));
  }
  for (MPI_Comm* const comm : {&lower, &upper})
    if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
}

// GA aborts: "Too many process groups". The last test, since a group has a number now that is none of GA's.
TEST(MakeGroup, MoreGroupsThanGaHasAreRefused) {
  if (processes() < 4) GTEST_SKIP() << "needs at least 4 processes";
  MPI_Comm ends = split(rank() % (processes() - 1) == 0 ? 0 : MPI_UNDEFINED);
  last_group = true;
  make_group(ends);
  last_group = false;
  expect_says(thrown([] { make_group(rank() == 0 ? MPI_COMM_SELF : MPI_COMM_NULL); }),
              "32767 groups of processes and cannot have more");
  EXPECT_NO_THROW(make_group(ends));  // it is there
  if (ends != MPI_COMM_NULL) MPI_Comm_free(&ends);
}

}  // namespace
