#include "random_arrays.hpp"
#include "support/memory_ends.hpp"
#include <tridap/globalarrays/array.hpp>
#include <tridap/globalarrays/export.hpp>
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
#include <cstdio>
#include <cstdlib>
#include <optional>

// Memory ends on one process at each allocation of each collective call: every process throws or none, and none waits
// for ever. What Global Arrays and MPI allocate themselves does not end.
namespace {

using namespace tridap;
using arrays::processes;
using arrays::rank;
using arrays::real;
using globalarrays::Fit;
using globalarrays::Session;
using redistribute::PlacedDistribution;

PlacedDistribution dealt(const AxisSpec& spec) { return Distribution::make({processes() * 6}, {spec}, {processes()}); }

PlacedDistribution listed() {
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(processes()));
  for (Index i = 0; i < processes() * 6; ++i) lists[static_cast<std::size_t>(i * 5 % processes())].push_back(i);
  return Distribution::make({processes() * 6}, {unstructured(lists, true)}, {processes()});
}

DistArray part_of(const PlacedDistribution& placed) {
  DistArray part;
  part.dim_data = placed.distribution.dim_data(rank());
  part.buffer = allocate(real, placed.distribution.local_shape(rank()));
  return part;
}

MPI_Comm split(int colour, int key) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, colour, key, &comm);
  return comm;
}

// What a call is made with, which does not count.
struct Case {
  MPI_Comm comm = split(0, 0), backwards = split(0, -rank());
  MPI_Comm group = split(rank() < processes() - 1 ? 0 : MPI_UNDEFINED, 0);  // all processes but the last one
  std::unique_ptr<Session> session;
  PlacedDistribution blocks = dealt(block()), dealt_out = dealt(cyclic()), padded = dealt(padded_block(1)),
                     lists = listed();
  PlacedDistribution in_group = Distribution::make({6}, {block()}, {processes() - 1});
  DistArray of_blocks = part_of(blocks), of_padded = part_of(padded), of_lists = part_of(lists);
  ElementType odd{ElementType::Kind::opaque, 24, true};
  DistArray held;
  int handle = 0;

  Case() = default;
  Case(const Case&) = delete;
  ~Case() {
    for (MPI_Comm* one : {&comm, &backwards, &group})
      if (*one != MPI_COMM_NULL) MPI_Comm_free(one);
  }
};

int made_by_ga() {
  int64_t dims[] = {10};
  char name[] = "theirs";
  return NGA_Create64(C_DBL, 1, dims, name, nullptr);
}

void nothing(Case&) {}
void begin(Case& with) { with.session = std::make_unique<Session>(); }
void begin_with_array(Case& with) {
  begin(with);
  with.held = globalarrays::allocate(with.blocks, real, with.comm);
}
void begin_with_handle(Case& with) {
  begin(with);
  with.handle = made_by_ga();
}
void begin_with_what_nobody_holds(Case& with) {
  begin(with);
  for (int i = 0; i < 3; ++i) globalarrays::create(with.blocks, real, with.comm);
}
void begin_with_group(Case& with) {
  begin(with);
  globalarrays::make_group(with.group);
}

struct Call {
  const char* name;
  void (*prepare)(Case&);
  void (*call)(Case&);
};

template <Copy copy, Fit fit>
void import(const DistArray& array, MPI_Comm comm) {
  globalarrays::import_array(array, comm, copy, fit);
}

const std::vector<Call> calls = {
    {"begin and close", nothing,
     [](Case&) {
       Session session;
       session.close();
     }},
    {"close", begin, [](Case& with) { with.session->close(); }},
    {"close where an array is held", begin_with_array, [](Case& with) { with.session->close(); }},
    {"close where an array is not held", begin_with_what_nobody_holds, [](Case& with) { with.session->close(); }},
    {"end", begin, [](Case& with) { with.session.reset(); }},
    {"collect", begin_with_what_nobody_holds, [](Case&) { globalarrays::collect(); }},
    {"make_group", begin, [](Case& with) { globalarrays::make_group(with.group); }},
    {"create", begin, [](Case& with) { globalarrays::create(with.blocks, real, with.comm); }},
    {"create after others", begin_with_what_nobody_holds,
     [](Case& with) { globalarrays::create(with.blocks, real, with.comm); }},
    {"create in another order", begin, [](Case& with) { globalarrays::create(with.blocks, real, with.backwards); }},
    {"create in a group", begin_with_group,
     [](Case& with) {
       if (with.group != MPI_COMM_NULL) globalarrays::create(with.in_group, real, with.group);
     }},
    {"create what is dealt", begin, [](Case& with) { globalarrays::create(with.dealt_out, real, with.comm); }},
    {"create ghost cells", begin, [](Case& with) { globalarrays::create(with.padded, real, with.comm); }},
    {"create of another type", begin, [](Case& with) { globalarrays::create(with.blocks, with.odd, with.comm); }},
    {"create what GA cannot hold", begin, [](Case& with) { globalarrays::create(with.lists, real, with.comm); }},
    {"allocate", begin, [](Case& with) { globalarrays::allocate(with.padded, real, with.comm); }},
    {"import", begin, [](Case& with) { import <Copy::if_needed, Fit::exact>(with.of_blocks, with.comm); }},
    {"import, never copying", begin, [](Case& with) { import <Copy::never, Fit::exact>(with.of_blocks, with.comm); }},
    {"import padding", begin, [](Case& with) { import <Copy::if_needed, Fit::exact>(with.of_padded, with.comm); }},
    {"import what GA cannot hold", begin,
     [](Case& with) { import <Copy::if_needed, Fit::exact>(with.of_lists, with.comm); }},
    {"import to the nearest", begin,
     [](Case& with) { import <Copy::if_needed, Fit::nearest>(with.of_lists, with.comm); }},
    {"import what is shared", begin_with_array,
     [](Case& with) { import <Copy::never, Fit::exact>(with.held, with.comm); }},
    {"import a copy of it", begin_with_array,
     [](Case& with) { import <Copy::always, Fit::exact>(with.held, with.comm); }},
    {"destroy", begin_with_handle,
     [](Case& with) {
       globalarrays::destroy(with.handle, with.comm);
       with.handle = 0;
     }},
    {"grid_communicator", begin_with_handle, [](Case& with) {
       MPI_Comm grid = globalarrays::grid_communicator(with.handle);
       MPI_Comm_free(&grid);
     }}};

// Ends Global Arrays as a program does that goes on after the exception: no array may be left.
void end(Case& with) {
  with.held = {};
  if (GA_Initialized() != 0) {
    if (with.handle != 0) GA_Destroy(with.handle);
    globalarrays::collect();
    for (int handle = -1000; handle < -990; ++handle)
      EXPECT_EQ(GA_Verify_handle(handle), 0) << memory_ends::doing;  // GA's first
  }
  with.session.reset();
  if (GA_Initialized() != 0) Session().close();
  EXPECT_EQ(GA_Initialized(), 0) << memory_ends::doing;
}

// Runs the call with memory for so many allocations; returns whether that was too little.
bool runs_out(const Call& call, int failing, long allocations, bool for_good) {
  Case with;
  call.prepare(with);
  memory_ends::begin(call.name, failing, allocations, for_good);
  alarm(memory_ends::most_seconds);
  bool ended = false;
  const bool in_call = call.prepare != begin_with_group || with.group != MPI_COMM_NULL;
  int threw[] = {memory_ends::throws([&] { call.call(with); }, rank() == failing, allocations, ended) ? 1 : 0,
                 in_call ? 1 : 0, ended ? 1 : 0};
  MPI_Allreduce(MPI_IN_PLACE, threw, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_TRUE(threw[0] == 0 || threw[0] == threw[1]) << memory_ends::doing << ": " << threw[0] << " processes threw";
  end(with);
  alarm(0);
  return threw[2] != 0;
}

TEST(MemoryEnds, EveryProcessThrowsOrNone) {
  std::signal(SIGALRM, memory_ends::waited_too_long);
  const char* const only = std::getenv("TRIDAP_TEST_CALL");
  for (std::size_t i = 0; i < calls.size(); ++i)
    for (const memory_ends::Shortage& shortage : memory_ends::shortages(i))
      for (long n = 0; only == nullptr || std::string(calls[i].name) == only; ++n)
        if (!runs_out(calls[i], shortage.process, n, shortage.for_good)) break;
}

}  // namespace
