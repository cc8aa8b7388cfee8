#include "random_arrays.hpp"
#include "support/memory_ends.hpp"
#include "support/parts.hpp"
#include <tridap/globalarrays/import.hpp>
#include <tridap/globalarrays/session.hpp>
#include <tridap/make.hpp>

#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

extern "C" {
#include <ga.h>
}

#include <csignal>
#include <cstdlib>

// Memory ends on one process at each allocation of ours that is as large as data: every process throws or none, and
// none waits for ever. Calls that allocate nothing of this size are left out.
namespace {

using namespace tridap;
using arrays::processes;
using arrays::rank;
using arrays::real;
using globalarrays::Fit;
using globalarrays::Session;
using redistribute::PlacedDistribution;

constexpr Index each = 3000;  // elements of a process, 24 KB

PlacedDistribution listed() {
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(processes()));
  for (Index i = 0; i < processes() * each; ++i) lists[static_cast<std::size_t>(i * 5 % processes())].push_back(i);
  return Distribution::make({processes() * each}, {unstructured(lists, true)}, {processes()});
}

DistArray part_of(const PlacedDistribution& placed) { return on::part_of(placed.distribution(), rank(), real); }

// What a call is made with, which does not count.
struct Case {
  Session session;
  PlacedDistribution lists = listed();
  DistArray of_lists = part_of(lists);
};

using Call = memory_ends::Call<Case>;

template <Fit fit>
void import(const Case& with) {
  globalarrays::import_array(with.of_lists, MPI_COMM_WORLD, tridap::Copy::if_needed, fit);
}

const std::vector<Call> calls = {{"import what GA cannot hold", import <Fit::exact>},
                                 {"import to the nearest", import <Fit::nearest>}};

// Runs the call with memory for so many allocations; returns whether that was too little.
bool runs_out(const Call& call, int failing, long allocations, bool for_good) {
  const Case with;
  memory_ends::begin(call.name, failing, allocations, for_good);
  alarm(memory_ends::most_seconds);
  bool ended = false;
  int threw[] = {memory_ends::throws([&] { call.call(with); }, rank() == failing, allocations, ended) ? 1 : 0,
                 ended ? 1 : 0};
  MPI_Allreduce(MPI_IN_PLACE, threw, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_TRUE(threw[0] == 0 || threw[0] == processes()) << memory_ends::doing << ": " << threw[0] << " processes threw";
  globalarrays::collect();
  for (int handle = -1000; handle < -990; ++handle)
    EXPECT_EQ(GA_Verify_handle(handle), 0) << memory_ends::doing;  // GA's first
  alarm(0);
  return threw[1] != 0;
}

TEST(MemoryEnds, EveryProcessThrowsOrNone) {
  std::signal(SIGALRM, memory_ends::waited_too_long);
  const char* const only = std::getenv("TRIDAP_TEST_CALL");
  long ended = 0;
  for (std::size_t i = 0; i < calls.size(); ++i)
    for (const memory_ends::Shortage& shortage : memory_ends::shortages(i))
      for (long n = 0; only == nullptr || std::string(calls[i].name) == only; ++n) {
        if (!runs_out(calls[i], shortage.process, n, shortage.for_good)) break;
        ended += n > 0;
      }
  EXPECT_GT(ended, 0) << "nothing as large as data is allocated";
}

}  // namespace
