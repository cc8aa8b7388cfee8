#include "mpi/support.hpp"
#include <tridap/internal/collective_call.hpp>

#include <gtest/gtest.h>
#include <mpi.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <vector>

using tridap::mpi::Call;
using tridap::mpi::Inside;
using tridap::mpi::Libraries;
using tridap::mpi::Library;
using tridap::mpi::release_inside;

namespace {

int here() { return on::rank(MPI_COMM_WORLD); }
int all() { return on::processes(MPI_COMM_WORLD); }

// Duplicates of all processes' communicator.
class Communicators {
 public:
  explicit Communicators(std::size_t count) : all_(count, MPI_COMM_NULL) {
    for (MPI_Comm& each : all_) MPI_Comm_dup(MPI_COMM_WORLD, &each);
  }
  ~Communicators() {
    for (MPI_Comm& each : all_) MPI_Comm_free(&each);
  }
  MPI_Comm operator[](std::size_t i) const { return all_[i]; }

 private:
  std::vector<MPI_Comm> all_;
};

// Counts the threads in each library, and how often there were two.
struct Visitors {
  std::array<std::atomic<int>, tridap::mpi::libraries> inside{};
  std::atomic<int> together{0}, visits{0};

  void visit(Libraries libraries) {
    for (std::size_t i = 0; i < inside.size(); ++i)
      if (libraries.has(i) && ++inside[i] > 1) ++together;
    ++visits;
    for (int i = 0; i < 3; ++i) sched_yield();
    for (std::size_t i = 0; i < inside.size(); ++i)
      if (libraries.has(i)) --inside[i];
  }
};

void run(std::vector<std::function<void()>> bodies) {
  std::vector<std::thread> threads;
  threads.reserve(bodies.size());
  for (auto& body : bodies) threads.emplace_back(std::move(body));
  for (std::thread& thread : threads) thread.join();
}

// Each of several threads makes calls on its own communicator; the threads of each process begin in another order.
void stress(std::size_t threads, int calls, const std::function<Libraries(std::size_t, int)>& needed) {
  const Communicators comms(threads);
  Visitors visitors;
  std::vector<std::function<void()>> bodies;
  for (std::size_t i = 0; i < threads; ++i) {
    const std::size_t which = (i + static_cast<std::size_t>(here())) % threads;
    bodies.emplace_back([&, which] {
      for (int call = 0; call < calls; ++call) {
        const Libraries libraries = needed(which, call);
        const Call begun(comms[which], "visit", libraries);
        visitors.visit(libraries);
        MPI_Barrier(begun.comm());
        visitors.visit(libraries);
      }
    });
  }
  run(std::move(bodies));
  EXPECT_EQ(visitors.together, 0);
  EXPECT_EQ(visitors.visits, static_cast<int>(threads) * calls * 2);
}

}  // namespace

TEST(LibraryLocks, LetOneOfTwoThreadsIntoALibrary) {
  stress(2, 200, [](std::size_t, int) { return Libraries(Library::hdf5); });
}

TEST(LibraryLocks, LetOneOfThreeThreadsIntoALibrary) {
  stress(3, 100, [](std::size_t, int) { return Libraries(Library::trilinos); });
}

TEST(LibraryLocks, LetThreadsIntoOverlappingSetsOfLibraries) {
  stress(3, 100, [](std::size_t which, int call) {
    constexpr std::array<Library, 3> three = {Library::trilinos, Library::hdf5, Library::petsc};
    const std::size_t first = (which + static_cast<std::size_t>(call)) % 3;
    return call % 4 == 0 ? Libraries(three[first]) : Libraries{three[first], three[(first + 1) % 3]};
  });
}

// The other thread waits for what the first one has, and goes before it by its number in one of the two orders.
TEST(LibraryLocks, ACallInsideOfAnotherGoesBeforeThoseThatWait) {
  const Communicators comms(2);
  Visitors visitors;
  const auto body = [&](std::size_t which) {
    for (int i = 0; i < 50; ++i) {
      const Call outer(comms[which], "load", Library::hdf5);
      const Call inner(comms[which], "load_into", Library::hdf5, [](tridap::mpi::Record& record) { record.add(1); });
      visitors.visit(Library::hdf5);
    }
  };
  run({[&] { body(0); }, [&] { body(1); }});
  EXPECT_EQ(visitors.together, 0);
}

// Process 0's thread waits for process 1 with a lock that process 1's other call needs on process 0.
TEST(LibraryLocks, AreOnOfferWhileACallWaitsForItsProcesses) {
  const Communicators comms(2);
  Visitors visitors;
  for (int i = 0; i < 20; ++i) {
    const auto call = [&](std::size_t which) {
      const Call begun(comms[which], "visit", Library::hdf5);
      visitors.visit(Library::hdf5);
      MPI_Barrier(begun.comm());
    };
    if (here() == 0)
      run({[&] { call(0); }, [&] { call(1); }});
    else {  // one thread, which makes the calls one after the other
      call(1);
      call(0);
    }
  }
  EXPECT_EQ(visitors.together, 0);
}

TEST(LibraryLocks, ACallOfTheSameThreadMayEnterAgain) {
  const Call outer(MPI_COMM_WORLD, "save", Library::hdf5);
  const Call inner(MPI_COMM_WORLD, "gather", Library::hdf5);
  const Inside local(Library::hdf5);  // would wait for ever
  EXPECT_EQ(inner.comm(), outer.comm());
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(LibraryLocks, AStepIsInsideOfTheLibraryToo) {
  const Communicators comms(2);
  Visitors visitors;
  const auto body = [&](std::size_t which) {
    for (int i = 0; i < 50; ++i)
      const Call call(comms[which], "save", Library::hdf5,
                      [&](tridap::mpi::Record&) { visitors.visit(Library::hdf5); });
  };
  const std::size_t first = here() % 2 == 0 ? 0 : 1;
  run({[&] { body(first); }, [&] { body(1 - first); }});
  EXPECT_EQ(visitors.together, 0);
  EXPECT_EQ(visitors.visits, 100);
}

TEST(LibraryLocks, AreFreeAfterDifferentCalls) {
  if (all() < 2) GTEST_SKIP() << "needs at least 2 processes";
  EXPECT_THROW(Call(MPI_COMM_WORLD, here() == 0 ? "save" : "load", Library::hdf5), tridap::Error);
  std::thread other([] { const Inside entered(Library::hdf5); });
  other.join();
}

TEST(LibraryLocks, AreFreeAfterAFailedStep) {
  EXPECT_THROW(
      Call(MPI_COMM_WORLD, "save", Library::hdf5, [](tridap::mpi::Record&) { throw std::runtime_error("no room"); }),
      tridap::Error);
  std::thread other([] { const Inside entered(Library::hdf5); });
  other.join();
}

TEST(LibraryLocks, ALocalStepWaitsForACall) {
  Visitors visitors;
  std::atomic<bool> ends{false};
  std::thread other([&] {
    while (!ends) {
      const Inside entered(Library::hdf5);
      visitors.visit(Library::hdf5);
    }
  });
  for (int i = 0; i < 100; ++i) {
    const Call call(MPI_COMM_WORLD, "save", Library::hdf5);
    visitors.visit(Library::hdf5);
  }
  ends = true;
  other.join();
  EXPECT_EQ(visitors.together, 0);
}

TEST(LibraryLocks, WhatIsReleasedMeanwhileIsReleasedByTheThreadInside) {
  std::thread::id released_by;
  const auto owned = [&] {
    return std::shared_ptr<void>(nullptr, [&](void*) { released_by = std::this_thread::get_id(); });
  };
  {
    const Inside entered(Library::trilinos);
    std::thread other([&] { release_inside(Library::trilinos, owned()); });
    other.join();
    EXPECT_EQ(released_by, std::thread::id());
  }
  EXPECT_EQ(released_by, std::this_thread::get_id());
  released_by = {};
  release_inside(Library::trilinos, owned());
  EXPECT_EQ(released_by, std::this_thread::get_id());
}
