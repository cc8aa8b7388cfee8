#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/thrown.hpp"
#include <tridap/internal/call.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/allocate_shared.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/redistribute/padding.hpp>
#include <tridap/redistribute/redistribution.hpp>
#include <tridap/redistribute/relabel_collectively.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

// MPI's functions, by its profiling interface: the one that is named here fails.
namespace {

std::string failing;          // empty: none
bool done_first = false;      // it does its work, for the others, and fails then
std::set<std::string> calls;  // that were made

bool fails(const char* function) {
  calls.insert(function);
  return failing == function;
}

}  // namespace

#define TRIDAP_MAY_FAIL(name, parameters, arguments)  \
  extern "C" int name parameters {                    \
    const bool failed = fails(#name);                 \
    if (failed && !done_first) return MPI_ERR_INTERN; \
    const int result = P##name arguments;             \
    return failed ? MPI_ERR_INTERN : result;          \
  }

TRIDAP_MAY_FAIL(MPI_Comm_size, (MPI_Comm comm, int* size), (comm, size))
TRIDAP_MAY_FAIL(MPI_Comm_rank, (MPI_Comm comm, int* rank), (comm, rank))
TRIDAP_MAY_FAIL(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made))
TRIDAP_MAY_FAIL(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made), (comm, color, key, made))
TRIDAP_MAY_FAIL(MPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made),
                (comm, type, key, info, made))
TRIDAP_MAY_FAIL(MPI_Comm_group, (MPI_Comm comm, MPI_Group* group), (comm, group))
TRIDAP_MAY_FAIL(MPI_Comm_get_attr, (MPI_Comm comm, int key, void* value, int* found), (comm, key, value, found))
TRIDAP_MAY_FAIL(MPI_Comm_set_attr, (MPI_Comm comm, int key, void* value), (comm, key, value))
TRIDAP_MAY_FAIL(MPI_Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler), (comm, handler))
TRIDAP_MAY_FAIL(MPI_Group_translate_ranks, (MPI_Group a, int n, const int* of_a, MPI_Group b, int* of_b),
                (a, n, of_a, b, of_b))
TRIDAP_MAY_FAIL(MPI_Barrier, (MPI_Comm comm), (comm))
TRIDAP_MAY_FAIL(MPI_Bcast, (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm),
                (data, count, type, root, comm))
TRIDAP_MAY_FAIL(MPI_Allreduce, (const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
                (in, out, count, type, op, comm))
TRIDAP_MAY_FAIL(MPI_Allgather, (const void* in, int n, MPI_Datatype t, void* out, int m, MPI_Datatype u, MPI_Comm comm),
                (in, n, t, out, m, u, comm))
TRIDAP_MAY_FAIL(MPI_Alltoall, (const void* in, int n, MPI_Datatype t, void* out, int m, MPI_Datatype u, MPI_Comm comm),
                (in, n, t, out, m, u, comm))
TRIDAP_MAY_FAIL(MPI_Send, (const void* data, int n, MPI_Datatype t, int to, int tag, MPI_Comm comm),
                (data, n, t, to, tag, comm))
TRIDAP_MAY_FAIL(MPI_Probe, (int from, int tag, MPI_Comm comm, MPI_Status* status), (from, tag, comm, status))
TRIDAP_MAY_FAIL(MPI_Isend,
                (const void* data, int n, MPI_Datatype t, int to, int tag, MPI_Comm comm, MPI_Request* request),
                (data, n, t, to, tag, comm, request))
TRIDAP_MAY_FAIL(MPI_Irecv, (void* data, int n, MPI_Datatype t, int from, int tag, MPI_Comm comm, MPI_Request* request),
                (data, n, t, from, tag, comm, request))
TRIDAP_MAY_FAIL(MPI_Recv_init,
                (void* data, int n, MPI_Datatype t, int from, int tag, MPI_Comm comm, MPI_Request* request),
                (data, n, t, from, tag, comm, request))
TRIDAP_MAY_FAIL(MPI_Start, (MPI_Request * request), (request))
TRIDAP_MAY_FAIL(MPI_Test, (MPI_Request * request, int* done, MPI_Status* status), (request, done, status))
TRIDAP_MAY_FAIL(MPI_Testall, (int n, MPI_Request* requests, int* all, MPI_Status* statuses),
                (n, requests, all, statuses))
TRIDAP_MAY_FAIL(MPI_Testsome, (int n, MPI_Request* requests, int* count, int* arrived, MPI_Status* statuses),
                (n, requests, count, arrived, statuses))
TRIDAP_MAY_FAIL(MPI_Type_create_hindexed,
                (int n, const int* counts, const MPI_Aint* at, MPI_Datatype type, MPI_Datatype* made),
                (n, counts, at, type, made))
TRIDAP_MAY_FAIL(MPI_Type_contiguous, (int n, MPI_Datatype type, MPI_Datatype* made), (n, type, made))
TRIDAP_MAY_FAIL(MPI_Op_create, (MPI_User_function * function, int commutes, MPI_Op* made), (function, commutes, made))
TRIDAP_MAY_FAIL(MPI_Type_create_resized, (MPI_Datatype type, MPI_Aint low, MPI_Aint extent, MPI_Datatype* made),
                (type, low, extent, made))
TRIDAP_MAY_FAIL(MPI_Type_commit, (MPI_Datatype * type), (type))

namespace {

using namespace tridap;

// A communicator as mpi4py leaves it, nothing of ours with it. What fails may leave it behind.
MPI_Comm fresh() {
  MPI_Comm made = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &made);
  PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return made;
}

// This process's part of an array of doubles.
DistArray part_of(const Distribution& distribution, MPI_Comm comm) { return on::part_of(distribution, on::rank(comm)); }

Distribution dealt(const AxisSpec& spec, MPI_Comm comm, Index each = 6) {
  const Index processes = on::processes(comm);
  return Distribution::make({processes * each}, {spec}, {processes});
}

void gather_padded(MPI_Comm comm) { mpi::gather_distribution(part_of(dealt(padded_block(1), comm), comm), comm); }

void find_fault(MPI_Comm comm) {
  mpi::throw_together({}, comm);
  Report report;
  if (on::rank(comm) == 0) report.add({Rule::conversion, {}, {}, "", "a fault", "", ""});
  const std::string said = on::error_text([&] { mpi::throw_together(report, comm); });
  if (said.find("a fault") == std::string::npos) throw Error(Finding{Rule::conversion, {}, {}, "", said, "", ""});
}

void update(MPI_Comm comm) { redistribute::update_padding(part_of(dealt(padded_block(1), comm), comm), comm); }

void move(MPI_Comm comm, redistribute::Path path, Index each = 6) {
  redistribute::Options options;
  options.path = path;
  const Distribution from = dealt(block(), comm, each), to = dealt(cyclic(), comm, each);
  redistribute::Redistribution plan(from, to, 8, comm, options);
  plan(part_of(from, comm), part_of(to, comm));
}
void move_by_rings(MPI_Comm comm) { move(comm, redistribute::Path::automatic); }
void move_by_messages(MPI_Comm comm) { move(comm, redistribute::Path::messages); }
void move_by_long_messages(MPI_Comm comm) { move(comm, redistribute::Path::messages, 20'000 * on::processes(comm)); }
void move_by_derived_types(MPI_Comm comm) { move(comm, redistribute::Path::derived_types); }

void share(MPI_Comm comm) { mpi::allocate_shared(element_type<double>(), {1000}, comm); }

void relabel(MPI_Comm comm) {
  const Distribution from = dealt(block(), comm), to = dealt(cyclic(), comm);
  redistribute::relabel_collectively(from, to, 8, comm);
}

void exchange(MPI_Comm comm) {
  std::vector<Message> parcels;
  for (Index to = 0; to < on::processes(comm); ++to) parcels.push_back({on::rank(comm), to, {1, 2, 3}});
  mpi::MpiCollectives(comm).exchange(parcels);
}

// What this MPI says of an invalid communicator.
std::string invalid_communicator() {
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  PMPI_Error_string(MPI_ERR_COMM, text, &length);
  EXPECT_GT(length, 0);
  return text;
}

// It goes before all other tests, because a process makes these once, in its first call.
TEST(Call, WhatTheFirstCallOfAProcessMakesFailsOnAll) {
  const int last = on::processes(MPI_COMM_WORLD) - 1;
  MPI_Comm comm = fresh();
  for (const std::string function : {"MPI_Type_contiguous", "MPI_Type_commit", "MPI_Op_create"}) {
    calls.clear();
    if (on::rank(MPI_COMM_WORLD) == last) failing = function;
    const std::string said = on::error_text([&] { gather_padded(comm); });
    failing.clear();
    on::expect_says(said, function + " failed");
  }
  gather_padded(comm);
}

TEST(Call, NamesTheFunctionAndWhatMpiSays) {
  const std::string said = on::error_text([] { mpi::must_succeed(MPI_ERR_COMM, "MPI_Comm_dup"); });
  on::expect_says(said, "MPI_Comm_dup failed: " + invalid_communicator());
  EXPECT_EQ(on::error_text([] { mpi::must_succeed(MPI_SUCCESS, "MPI_Comm_dup"); }), "");
}

TEST(Call, FailureOfOneProcessIsSaidByAll) {
  const int size = on::processes(MPI_COMM_WORLD), last = size - 1;
  const int status = on::rank(MPI_COMM_WORLD) == last ? MPI_ERR_COMM : MPI_SUCCESS;
  const std::string said =
      on::error_text([&] { mpi::must_succeed_everywhere(status, "MPI_Comm_dup", MPI_COMM_WORLD); });
  on::expect_says(said, "(rank " + std::to_string(last) + "): MPI_Comm_dup failed: " + invalid_communicator());
  mpi::must_succeed_everywhere(MPI_SUCCESS, "MPI_Comm_dup", MPI_COMM_WORLD);
}

const std::vector<std::pair<const char*, void (*)(MPI_Comm)>> collectives = {
    {"gather", gather_padded},
    {"throw_together", find_fault},
    {"exchange", exchange},
    {"update_padding", update},
    {"move by rings", move_by_rings},
    {"move by messages", move_by_messages},
    {"move by long messages", move_by_long_messages},
    {"allocate_shared", share},
    {"move by derived types", move_by_derived_types},
    {"relabel", relabel}};

// The functions that every process has called, the same on all: on several nodes, some call more than others.
std::set<std::string> called_by_all() {
  std::string names;
  for (const std::string& name : calls) names += name + ' ';
  int length = static_cast<int>(names.size());
  PMPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  names.resize(static_cast<std::size_t>(length));
  PMPI_Bcast(names.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  std::set<std::string> common;
  std::istringstream list(names);
  for (std::string name; list >> name;) {
    int here = static_cast<int>(calls.count(name)), everywhere = 0;
    PMPI_Allreduce(&here, &everywhere, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (everywhere != 0) common.insert(name);
  }
  return common;
}

// Moves need no shared memory: where that cannot be made, they go by messages.
bool does_without(const std::string& call, const std::string& function) {
  return call.rfind("move", 0) == 0 && function == "MPI_Allgather";
}

// The function fails on all processes, each time that it is called: what all of them do names it, and nobody waits.
TEST(Call, FailureOfMpiIsAnErrorThatNamesTheFunction) {
  const std::set<std::string> of_some = {"MPI_Send", "MPI_Probe"};  // who waits for these has not failed itself
  for (const auto& [name, call] : collectives) {
    MPI_Comm comm = fresh();
    calls.clear();
    call(comm);
    const std::set<std::string> made = called_by_all();
    EXPECT_GT(made.size(), 1u) << name;
    for (const std::string& function : made) {
      if (of_some.count(function) != 0) continue;
      comm = fresh();
      failing = function;
      const std::string said = on::error_text([&, call = call] { call(comm); });
      failing.clear();
      if (does_without(name, function)) {
        EXPECT_EQ(said, "") << name << ", " << function;
        continue;
      }
      EXPECT_NE(said.find(function + " failed"), std::string::npos) << name << ", " << function << ": " << said;
      PMPI_Barrier(MPI_COMM_WORLD);
    }
  }
}

// What makes something may fail on one process alone: the others are told.
TEST(Call, WhatOneProcessCannotMakeFailsOnAll) {
  const int last = on::processes(MPI_COMM_WORLD) - 1;
  for (const auto& [name, call] : collectives)
    for (const std::string function :
         {"MPI_Comm_dup", "MPI_Comm_split", "MPI_Comm_split_type", "MPI_Comm_set_attr", "MPI_Recv_init",
          "MPI_Type_create_hindexed", "MPI_Type_create_resized", "MPI_Type_commit"}) {
      MPI_Comm comm = fresh();
      calls.clear();
      if (on::rank(MPI_COMM_WORLD) == last) failing = function;
      done_first = true;
      const std::string said = on::error_text([&, call = call] { call(comm); });
      failing.clear();
      done_first = false;
      int failed = said.empty() ? 0 : 1, made = static_cast<int>(calls.count(function)), sum = 0;
      PMPI_Allreduce(&failed, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      PMPI_Bcast(&made, 1, MPI_INT, last, MPI_COMM_WORLD);
      if (does_without(name, function)) made = 0;
      EXPECT_EQ(sum, made * on::processes(MPI_COMM_WORLD)) << name << ", " << function << ": " << said;
    }
}

}  // namespace
