#include "mpi/support.hpp"
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/different_calls.hpp>
#include <tridap/internal/region.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/mpi/regions.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <new>
#include <stdexcept>
#include <string>
#include <vector>

using tridap::Index;
using tridap::mpi::Call;
using tridap::mpi::Callback;
using tridap::mpi::Record;

namespace {

std::string error_of_calls(const char* name, MPI_Comm comm = MPI_COMM_WORLD) {
  return on::error_text([&] { const Call call(comm, name); });
}

const std::string end =
    ", must be the same collective call on every process, in the same order [process.failure]: make the call on all "
    "processes of the "
    "communicator, for example outside of a block that only rank 0 runs";

int here() { return on::rank(MPI_COMM_WORLD); }
int all() { return on::processes(MPI_COMM_WORLD); }

}  // namespace

TEST(Call, IsAnErrorOnAllProcessesIfOneMakesAnother) {
  if (all() < 2) GTEST_SKIP() << "needs at least 2 processes";
  on::every_communicator([](MPI_Comm comm) {
    const int rank = on::rank(comm), processes = on::processes(comm);
    if (processes < 2) return;
    for (int other = 0; other < processes; ++other) {
      const std::string error = error_of_calls(rank == other ? "sum" : "update_padding", comm);
      std::string fault = "rank " + std::to_string(other) + " calls sum, the others call update_padding";
      if (processes == 2)
        fault = other == 0 ? "rank 0 calls sum, rank 1 calls update_padding"
                           : "rank 0 calls update_padding, rank 1 calls sum";
      EXPECT_EQ(error, fault + end);
    }
  });
}

TEST(Call, ThatDiffersThrowsAnErrorOfItsOwnClass) {
  if (all() < 2) GTEST_SKIP() << "needs at least 2 processes";
  EXPECT_THROW(Call(MPI_COMM_WORLD, here() == 0 ? "sum" : "max"), tridap::mpi::DifferentCalls);
  try {
    const Call call(MPI_COMM_WORLD, "sum", {}, [](Record&) { throw std::runtime_error("no room"); });
    ADD_FAILURE() << "no error";
  } catch (const tridap::mpi::DifferentCalls&) {
    ADD_FAILURE() << "the calls are the same";
  } catch (const tridap::Error&) {
  }
}

TEST(Call, PassesEndOfMemoryOnIfNoOtherProcessWaits) {
  const Call call(MPI_COMM_SELF, "sum");
  EXPECT_THROW(call.run([]() -> int { throw std::bad_alloc(); }), std::bad_alloc);
  int value = 3;
  EXPECT_EQ(&call.run([&]() -> int& { return value; }), &value);
}

TEST(Call, NamesFourDifferentCallsAtMost) {
  const std::vector<const char*> names = {"a", "b", "c", "d", "e", "f"};
  const std::string error = error_of_calls(names[static_cast<std::size_t>(here() % 6)]);
  if (all() == 1) {
    EXPECT_EQ(error, "");
  } else if (all() == 4) {
    EXPECT_EQ(error, "rank 0 calls a, rank 1 calls b, rank 2 calls c, rank 3 calls d" + end);
  } else if (all() == 6) {
    EXPECT_EQ(error,
              "rank 0 calls a, rank 1 calls b, rank 2 calls c, rank 3 calls d, and others other functions" + end);
  }
}

TEST(Call, CountsTheProcessesOfEachCall) {
  if (all() < 4) GTEST_SKIP() << "needs at least 4 processes";
  const std::string error = error_of_calls(here() < 2 ? "save" : "sum");
  const std::string rest = all() == 4 ? "1 other" : std::to_string(all() - 3) + " others";
  EXPECT_EQ(error, "rank 0 and 1 other call save, rank 2 and " + rest + " call sum" + end);
}

TEST(Call, ShortensALongName) {
  if (all() < 2) GTEST_SKIP() << "needs at least 2 processes";
  static const std::string name(200, 'x');
  on::expect_says(error_of_calls(here() == 0 ? name.c_str() : "sum"), "rank 0 calls " + std::string(63, 'x') + ",");
}

TEST(Call, MeetsTheNextOneIfAProcessMakesOneMore) {
  if (all() < 2) GTEST_SKIP() << "needs at least 2 processes";
  if (here() == 0) {
    on::expect_says(error_of_calls("sum"), "rank 0 calls sum, ");
  }
  const std::string error = error_of_calls("gather");
  EXPECT_EQ(!error.empty(), here() != 0);
  EXPECT_TRUE(here() == 0 || error_of_calls("gather").empty());
}

TEST(Call, CanBeTheFirstOnItsCommunicator) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const std::string error = error_of_calls(here() == 0 ? "sum" : "max", comm);
  EXPECT_EQ(error.empty(), all() == 1) << error;
  EXPECT_EQ(error_of_calls("sum", comm), "");
  MPI_Comm_free(&comm);
}

TEST(Call, CommunicatesOnOurDuplicate) {
  const Call call(MPI_COMM_WORLD, "sum");
  EXPECT_TRUE(tridap::mpi::is_ours(call.comm()));
  EXPECT_EQ(call.comm(), tridap::mpi::ours(MPI_COMM_WORLD));
}

TEST(Call, FailsOnAllProcessesIfTheStepOfOneFails) {
  const int last = all() - 1;
  const std::string error = on::error_text([&] {
    const Call call(MPI_COMM_WORLD, "save", {}, [&](Record& record) {
      if (here() == last) throw std::runtime_error("no room");
      record.add(1);
    });
  });
  on::expect_says(error, "no room");
  on::expect_says(error, "rank " + std::to_string(last));
  EXPECT_TRUE(on::same_everywhere(error, MPI_COMM_WORLD));
}

TEST(Call, ADifferentCallGoesBeforeAFailedStep) {
  if (all() < 2) GTEST_SKIP() << "needs at least 2 processes";
  const std::string error = on::error_text([&] {
    const Call call(MPI_COMM_WORLD, here() == 0 ? "save" : "load", {},
                    [&](Record&) { throw std::runtime_error("no room"); });
  });
  EXPECT_EQ(error.find("rank 0 calls save"), std::size_t{0}) << error;
}

TEST(Call, ComparesNumbers) {
  const Index least = -(Index{1} << 62);
  const Call call(MPI_COMM_WORLD, "save", {}, [&](Record& record) {
    record.add(7);
    record.add(here());
    record.add(here() == 0 ? least : 0);
  });
  EXPECT_TRUE(call.is_same(0));
  EXPECT_EQ(call.largest(0), 7);
  EXPECT_EQ(call.is_same(1), all() == 1);
  EXPECT_EQ(call.smallest(1), 0);
  EXPECT_EQ(call.largest(1), all() - 1);
  EXPECT_EQ(call.smallest(2), least);
  EXPECT_EQ(call.largest(2), all() == 1 ? least : 0);
}

// Only the outer call says what is called, so processes may pass different branches of one call of ours.
TEST(Call, InsideOfAnotherMakesNoReduction) {
  const Call outer(MPI_COMM_WORLD, "solve");
  if (here() == 0) {  // would wait for the others if it made one
    const Call inner(MPI_COMM_WORLD, "product"), again(outer.comm(), "sum");
    EXPECT_EQ(inner.comm(), outer.comm());
    EXPECT_EQ(again.comm(), outer.comm());
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Call, InsideOfAnotherComparesItsNumbers) {
  const Call outer(MPI_COMM_WORLD, "solve");
  const Call inner(MPI_COMM_WORLD, "product", {}, [&](Record& record) { record.add(here()); });
  EXPECT_EQ(inner.largest(0), all() - 1);
}

TEST(Call, InAFunctionOfTheUserBeginsAsOutside) {
  if (all() < 2) GTEST_SKIP() << "needs at least 2 processes";
  const Call outer(MPI_COMM_WORLD, "solve");
  {
    const Callback user;
    on::expect_says(error_of_calls(here() == 0 ? "sum" : "max"), "rank 0 calls sum, ");
  }
  if (here() == 0) const Call inner(MPI_COMM_WORLD, "product");
}

TEST(Call, OnAnotherCommunicatorBeginsAsOutside) {
  if (all() < 2) GTEST_SKIP() << "needs at least 2 processes";
  const Call outer(MPI_COMM_WORLD, "solve");
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  on::expect_says(error_of_calls(here() == 0 ? "sum" : "max", comm), "rank 0 calls sum, ");
  MPI_Comm_free(&comm);
}

TEST(Call, IsInTheListOfThreadsWhileItLasts) {
  const auto find = [] {
    std::vector<std::string> found;
    tridap::mpi::State& all_of_us = tridap::mpi::state();
    const std::lock_guard lock(all_of_us.guard_of_threads);
    for (const auto* thread = all_of_us.threads; thread != nullptr; thread = thread->next)
      for (int i = 0; i < thread->depth; ++i) found.emplace_back(thread->names[static_cast<std::size_t>(i)]);
    return found;
  };
  {
    const Call outer(MPI_COMM_WORLD, "solve");
    EXPECT_EQ(find(), std::vector<std::string>{"solve"});
    const Call inner(MPI_COMM_WORLD, "sum");
    EXPECT_EQ(find(), (std::vector<std::string>{"solve", "sum"}));
    const tridap::mpi::ThreadCalls& thread = tridap::mpi::state().this_thread();
    EXPECT_FALSE(thread.waits);
    EXPECT_GT(thread.since, 0);
  }
  EXPECT_EQ(find(), std::vector<std::string>{});
}

// In a function of the user, a call is a region also if one of the same name runs the function.
TEST(Call, OfAFunctionOfTheUserIsARegionOfItsOwn) {
  static std::vector<std::string> told;
  told.clear();
  const auto before = tridap::mpi::trace({[](const char* name) {
                                            told.push_back(name);
                                            return true;
                                          },
                                          [] { told.push_back("end"); }});
  {
    const tridap::mpi::Region outside("tridap::solve");
    { const tridap::mpi::Region inside("tridap::solve"); }
    const Callback user;
    const tridap::mpi::Region own("tridap::solve");
  }
  tridap::mpi::trace(before);
  EXPECT_EQ(told, (std::vector<std::string>{"tridap::solve", "tridap::solve", "end", "end"}));
}
