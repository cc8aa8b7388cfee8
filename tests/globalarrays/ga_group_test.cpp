#include "random_arrays.hpp"
#include <dap/globalarrays/array.hpp>
#include <dap/globalarrays/import.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

extern "C" {
#include <ga-mpi.h>
#include <ga.h>
}

#include <algorithm>
#include <string>

namespace {

using arrays::Index;
using arrays::List;
using dap::globalarrays::create;
using dap::globalarrays::GlobalArray;
using dap::globalarrays::make_group;
using dap::redistribute::Placed;

[[maybe_unused]] const auto* const session = testing::AddGlobalTestEnvironment(new arrays::WithSession);

const dap::ElementType real = dap::element_type<double>();

int rank() { return arrays::rank_in(MPI_COMM_WORLD); }
int processes() { return arrays::processes_of(MPI_COMM_WORLD); }

MPI_Comm split(int color, int key = 0) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm);
  return comm;
}

Placed line(int places) {
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
  if (processes() < 2) return;
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
  if (processes() < 3) return;
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
  if (group) GA_Pgroup_set_default(GA_Pgroup_get_world());
  EXPECT_EQ(create(line(processes()), real, MPI_COMM_WORLD).placed().distribution.processes(), processes());
  if (upper != MPI_COMM_NULL) MPI_Comm_free(&upper);
  if (last != MPI_COMM_NULL) MPI_Comm_free(&last);
}

TEST(MakeGroup, ProcessesThatDisagreeAllHearOfIt) {
  if (processes() < 2) return;
  EXPECT_THROW(make_group(rank() == 0 ? MPI_COMM_SELF : MPI_COMM_WORLD), dap::Error);
}

// GA's fence on a group aborts where a process has an array of another group.
TEST(MakeGroup, ArraysOfTwoGroupsOnOneProcessAreRefused) {
  if (processes() < 3) return;
  MPI_Comm lower = split(rank() < 2 ? 0 : MPI_UNDEFINED), upper = split(rank() > 0 ? 0 : MPI_UNDEFINED);
  make_group(lower);
  make_group(upper);
  GlobalArray held;
  if (lower != MPI_COMM_NULL) held = create(line(2), real, lower);
  const GlobalArray everywhere = create(line(processes()), real, MPI_COMM_WORLD);
  GA_Sync();
  std::string text;
  try {
    if (upper != MPI_COMM_NULL) create(line(processes() - 1), real, upper);
  } catch (const dap::Error& error) {
    text = error.what();
  }
  EXPECT_EQ(text.find("two groups of one process") != std::string::npos, rank() > 0) << text;
  held = {};
  make_group(MPI_COMM_NULL);  // frees what nobody holds
  if (upper != MPI_COMM_NULL) {
    EXPECT_NO_THROW(create(line(processes() - 1), real, upper));
  }
  for (MPI_Comm* const comm : {&lower, &upper})
    if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
}

}  // namespace
