#pragma once

#include "support/memory_meter.hpp"
#include "support/ranks.hpp"

#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

/// Memory ends on one process at each allocation that is as large as data, of each of some collective calls: every
/// process throws or none does, and nobody waits for ever. For programs that link support/memory_meter.cpp.
namespace memory_ends {

inline constexpr std::size_t as_large_as_data = std::size_t{1} << 14;  ///< bytes, if a test sets no other least_bytes
inline constexpr unsigned most_seconds = 20;                           ///< of one call; it takes a few milliseconds

/// A collective call. A `Case` is what it is made with, on a communicator, which does not count.
template <class Case>
struct Call {
  const char* name;
  void (*call)(const Case&);
};

inline char doing[200];

extern "C" inline void waited_too_long(int) {
  std::fprintf(stderr, "a process still waits: %s\n", doing);
  std::_Exit(1);
}

/// Such as a message that is shorter than another process's, since that one is in another call.
inline void mpi_failed(MPI_Comm*, int*, ...) {
  std::fprintf(stderr, "the processes are in different calls of MPI: %s\n", doing);
  std::_Exit(1);
}

/// Whether a step throws where memory ends `here` after so many allocations. `ended`: it did.
template <class Step>
bool throws(Step step, bool here, long allocations, bool& ended) {
  if (memory_meter::least_bytes == 0) memory_meter::least_bytes = as_large_as_data;
  memory_meter::allocations_left = here ? allocations : -1;
  bool thrown = false;
  try {
    step();
  } catch (const std::exception&) {
    thrown = true;
  }
  ended = here && memory_meter::allocations_left <= (memory_meter::ends_for_good ? 0 : -1);
  memory_meter::allocations_left = -1;
  return thrown;
}

/// What `doing` says, for the message of a process that waits; and from now on, memory ends so.
inline void begin(const char* name, int failing, long allocations, bool for_good) {
  std::snprintf(doing, sizeof(doing), "%s, rank %d has memory for %ld allocations%s", name, failing, allocations,
                for_good ? "" : ", and then again");
  memory_meter::ends_for_good = for_good;
}

/// Returns how often memory ended; one more if it was gone for good.
template <class Case>
long expect_no_wait(const Call<Case>& call, int failing, bool for_good) {
  const int all = on::processes(MPI_COMM_WORLD);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(mpi_failed, &handler);
  bool over = false;
  long allocations = 0;
  for (; !over; ++allocations) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, handler);
    {
      const Case with(comm);
      begin(call.name, failing, allocations, for_good);
      alarm(most_seconds);
      bool ended = false;
      const bool here = on::rank(MPI_COMM_WORLD) == failing;
      int thrown = throws([&] { call.call(with); }, here, allocations, ended) ? 1 : 0, sum = 0, any = ended ? 1 : 0;
      MPI_Allreduce(&thrown, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
      alarm(0);
      EXPECT_TRUE(sum == 0 || sum == all) << doing << ": " << sum << " processes threw";
      over = any == 0;
      EXPECT_FALSE(over && allocations == 0) << call.name << " allocates nothing that counts";
    }
    MPI_Comm_free(&comm);
  }
  MPI_Errhandler_free(&handler);
  return allocations - 1;
}

/// The process that has no memory, and whether it is gone for good or there again after one allocation.
struct Shortage {
  int process;
  bool for_good;
};

/// Of the first process and of the last. A call is tried with two of the four shortages, and the next call with the
/// other two, which halves the time of a test.
inline std::array<Shortage, 2> shortages(std::size_t call) {
  const bool first_for_good = call % 2 != 0;
  return {{{0, first_for_good}, {on::processes(MPI_COMM_WORLD) - 1, !first_for_good}}};
}

/// TRIDAP_TEST_CALL names one call alone. Of all others, most must allocate what is as large as data, or nothing is
/// shown.
template <class Case>
void expect_no_wait(const std::vector<Call<Case>>& calls) {
  std::signal(SIGALRM, waited_too_long);
  const char* const only = std::getenv("TRIDAP_TEST_CALL");
  int ended = 0;
  for (std::size_t i = 0; i < calls.size(); ++i)
    for (const Shortage& shortage : shortages(i))
      if (only == nullptr || std::string(calls[i].name) == only)
        ended += expect_no_wait(calls[i], shortage.process, shortage.for_good) > 1 ? 1 : 0;
  EXPECT_GT(ended, 0) << "nothing as large as data is allocated";
}

}  // namespace memory_ends
