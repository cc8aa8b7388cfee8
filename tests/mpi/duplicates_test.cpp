#include "mpi/support.hpp"
#include <tridap/internal/duplicates.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <list>
#include <memory>
#include <string>
#include <vector>

using tridap::mpi::Duplicates;
using tridap::mpi::duplicates_of;
using tridap::mpi::Library;
using tridap::mpi::ours;

namespace {

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

MPI_Comm duplicated() {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  return made;
}

int compared(MPI_Comm a, MPI_Comm b) {
  int result = MPI_UNEQUAL;
  MPI_Comm_compare(a, b, &result);
  return result;
}

int sum_of_ones(MPI_Comm comm) {
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum;
}

// A number that is 0 and lives as long as the communicators that count in it.
int& new_count() {
  static std::list<int> counts;
  return counts.emplace_back(0);
}

// Counts in `freed` that MPI frees a communicator.
void watch(MPI_Comm comm, int& freed) {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    const auto count = [](MPI_Comm, int, void* counter, void*) -> int {
      ++*static_cast<int*>(counter);
      return MPI_SUCCESS;
    };
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count, &made, nullptr);
    return made;
  }();
  MPI_Comm_set_attr(comm, key, &freed);
}

std::string refusal(MPI_Comm comm) {
  return on::error_text([&] { ours(comm); });
}

// A call that makes a duplicate, as any first call on a communicator does.
void make_another() {
  MPI_Comm comm = duplicated();
  ours(comm);
  MPI_Comm_free(&comm);
}

}  // namespace

TEST(Duplicates, EachHasTheProcessesInTheirOrder) {
  const auto all = duplicates_of(MPI_COMM_WORLD);
  const std::vector<MPI_Comm> made{all->ours(), all->of(Library::trilinos), all->of(Library::blacs),
                                   all->of(Library::hdf5)};
  for (std::size_t i = 0; i < made.size(); ++i) {
    EXPECT_EQ(compared(made[i], MPI_COMM_WORLD), MPI_CONGRUENT);
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(made[i], made[j]);
  }
}

TEST(Duplicates, ASecondCallReturnsTheSame) {
  const auto all = duplicates_of(MPI_COMM_WORLD);
  const MPI_Comm first = ours(MPI_COMM_WORLD);
  EXPECT_EQ(ours(MPI_COMM_WORLD), first);
  EXPECT_EQ(ours(first), first);
  EXPECT_EQ(ours(all->of(Library::trilinos)), first);
  EXPECT_EQ(all->caller(), MPI_COMM_WORLD);
  EXPECT_EQ(all->of(Library::hdf5), all->of(Library::hdf5));
}

TEST(Duplicates, ADuplicateOfTheCallerGetsItsOwn) {
  ours(MPI_COMM_WORLD);
  MPI_Comm other = duplicated();
  EXPECT_NE(ours(other), ours(MPI_COMM_WORLD));
  MPI_Comm_free(&other);
}

TEST(Duplicates, AnInterCommunicatorIsRefused) {
  if (size_of(MPI_COMM_WORLD) < 2) GTEST_SKIP() << "needs two processes";
  const int rank = static_cast<int>(tridap::mpi::rank_of(MPI_COMM_WORLD)), colour = rank % 2;
  MPI_Comm half = MPI_COMM_NULL, inter = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, colour, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - colour, 0, &inter);
  on::expect_says(refusal(inter), "the communicator is an inter-communicator, must be an intra-communicator");
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

TEST(Duplicates, CommNullIsRefusedOnThatProcessAlone) {
  if (tridap::mpi::rank_of(MPI_COMM_WORLD) == 0) {
    on::expect_says(refusal(MPI_COMM_NULL), "the communicator is MPI_COMM_NULL, must be");
  }
}

TEST(Duplicates, AnOwnerCommunicatesAfterTheCallerIsFreed) {
  MPI_Comm caller = duplicated();
  int& freed = new_count();
  const auto owner = duplicates_of(caller);
  watch(owner->ours(), freed);
  EXPECT_EQ(owner->caller_or_ours(), caller);
  MPI_Comm_free(&caller);
  EXPECT_EQ(owner->caller(), MPI_COMM_NULL);
  EXPECT_EQ(owner->caller_or_ours(), owner->ours());
  make_another();
  EXPECT_EQ(freed, 0);
  EXPECT_EQ(sum_of_ones(owner->ours()), size_of(MPI_COMM_WORLD));
  EXPECT_EQ(duplicates_of(owner->ours()), owner);
  EXPECT_EQ(sum_of_ones(owner->of(Library::trilinos)), size_of(MPI_COMM_WORLD));
}

TEST(Duplicates, WithoutAnOwnerTheNextOneFreesThem) {
  int& freed = new_count();
  for (int cycle = 0; cycle < 20; ++cycle) {
    MPI_Comm caller = duplicated();
    const auto owner = duplicates_of(caller);
    watch(owner->ours(), freed);
    watch(owner->of(Library::blacs), freed);
    EXPECT_EQ(freed, 2 * cycle);
    MPI_Comm_free(&caller);
    EXPECT_EQ(freed, 2 * cycle);  // releasing an owner does not communicate
  }
  make_another();
  EXPECT_EQ(freed, 40);
}

TEST(Duplicates, AnOwnerOnOneProcessKeepsThemOnAll) {
  MPI_Comm caller = duplicated();
  int& freed = new_count();
  auto owner = duplicates_of(caller);
  watch(owner->ours(), freed);
  MPI_Comm_free(&caller);
  if (tridap::mpi::rank_of(MPI_COMM_WORLD) != 0) owner.reset();
  make_another();
  EXPECT_EQ(freed, 0);
  owner.reset();
  make_another();
  EXPECT_EQ(freed, 1);
}

TEST(Duplicates, ProcessesOutsideAreNotWaitedFor) {
  const int rank = static_cast<int>(tridap::mpi::rank_of(MPI_COMM_WORLD));
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  int& freed = new_count();
  MPI_Comm of_half = MPI_COMM_NULL;
  MPI_Comm_dup(half, &of_half);
  watch(ours(of_half), freed);
  MPI_Comm_free(&of_half);
  MPI_Comm_dup(half, &of_half);
  ours(of_half);  // made by half of the processes, it frees what these alone had
  EXPECT_EQ(freed, 1);
  MPI_Comm_free(&of_half);
  MPI_Comm_free(&half);
}

TEST(Duplicates, FreedBeforeTheFirstCallIsRefused) {
  MPI_Comm caller = duplicated();
  const auto owner = duplicates_of(caller);
  MPI_Comm_free(&caller);
  on::expect_says(on::error_text([&] { owner->ours(); }), "was freed before the first call that communicates on it");
}

TEST(Duplicates, WhatIsAttachedStaysUntilTheyAreFreed) {
  struct Attached {
    explicit Attached(int& count) : destroyed(count) {}
    ~Attached() { ++destroyed; }
    int& destroyed;
  };
  struct Released : Attached {
    using Attached::Attached;
  };
  struct Owner {
    std::shared_ptr<Duplicates> kept;
    explicit Owner(std::shared_ptr<Duplicates> owner) : kept(std::move(owner)) {}
  };
  MPI_Comm caller = duplicated();
  int &destroyed = new_count(), &released = new_count();
  {
    const auto owner = duplicates_of(caller);
    EXPECT_EQ(owner->attached<Attached>(), nullptr);
    owner->attach(std::make_unique<Attached>(destroyed), Duplicates::freed);
    EXPECT_EQ(&owner->attached<Attached>()->destroyed, &destroyed);
    owner->attach(std::make_unique<Owner>(owner), Duplicates::caller_frees);  // would keep itself alive
    EXPECT_EQ(owner->attached<Owner>()->kept, owner);
    owner->attach(std::make_unique<Released>(released), Duplicates::released);
  }
  EXPECT_EQ(destroyed, 0);
  EXPECT_EQ(released, 0);
  MPI_Comm_free(&caller);
  EXPECT_EQ(destroyed, 0);
  EXPECT_EQ(released, 1);
  make_another();
  EXPECT_EQ(destroyed, 1);
}

TEST(Duplicates, TagsDifferAndLeaveOutZero) {
  const auto owner = duplicates_of(MPI_COMM_WORLD);
  owner->ours();
  const int first = owner->next_tag(), second = owner->next_tag();
  EXPECT_GT(first, 0);
  EXPECT_EQ(second, first + 1);
}
