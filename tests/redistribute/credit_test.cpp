#include "support/parts.hpp"
#include "support/ranks.hpp"
#include <tridap/make.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <vector>

// When messages are sent: MPI's functions count here, by its profiling interface, and can hold credit back.
namespace {

struct Held {
  std::int64_t slots;
  int to, tag;
  MPI_Comm comm;
};

bool holds_credit = false;
std::vector<Held> held;  // messages of one integer, which are credit
int sent = 0;            // messages of elements

}  // namespace

extern "C" int MPI_Isend(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  if (type == MPI_BYTE) ++sent;
  if (!holds_credit || type != MPI_INT64_T || n != 1) return PMPI_Isend(data, n, type, to, tag, comm, request);
  held.push_back({*static_cast<const std::int64_t*>(data), to, tag, comm});
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

namespace {

using namespace tridap;
using redistribute::Redistribution;

Index rank() { return on::rank(MPI_COMM_WORLD); }
Index processes() { return on::processes(MPI_COMM_WORLD); }

/// An array in blocks over all processes, which goes to `targets` processes by messages.
struct Moved {
  Distribution from, to;
  Redistribution plan;
  DistArray source = on::part_of(from, rank()), target;

  Moved(Index each, Index targets)
      : from(Distribution::make({each * processes()}, {block()}, {processes()})),
        to(Distribution::make({each * processes()}, {cyclic(7)}, {targets})),
        plan(from, to, sizeof(double), MPI_COMM_WORLD, by_messages()) {
    for (Index k = 0; k < each; ++k) static_cast<double*>(source.buffer.data)[k] = double(rank() * each + k);
    if (rank() < targets) target = on::part_of(to, rank());
    sent = 0;
  }
  static redistribute::Options by_messages() {
    redistribute::Options options;
    options.path = redistribute::Path::messages;
    return options;
  }
  void start() { plan.start({{source, target}}); }
  void expect_moved() const {
    if (target.dim_data.empty()) return;
    Index wrong = 0;
    for (Index k = 0; k < target.buffer.shape[0]; ++k)
      wrong += static_cast<const double*>(target.buffer.data)[k] != double(to.axis(0).global_index(rank(), k));
    EXPECT_EQ(wrong, 0);
  }
};

constexpr Index few = 10, many = 200'000;  // elements of each process

void try_often(Redistribution& plan) {
  for (int call = 0; call < 1000; ++call) plan.test();
}

}  // namespace

TEST(Credit, ALongStreamIsNotSentBeforeItsReceiverSaysSo) {
  if (processes() < 2) GTEST_SKIP() << "needs at least 2 processes";
  Moved move(many, 1);
  holds_credit = true;
  move.start();
  try_often(move.plan);
  holds_credit = false;
  EXPECT_EQ(sent, 0);
  PMPI_Barrier(MPI_COMM_WORLD);
  for (const Held& credit : held) PMPI_Send(&credit.slots, 1, MPI_INT64_T, credit.to, credit.tag, credit.comm);
  EXPECT_EQ(held.size(), rank() == 0 ? static_cast<std::size_t>(processes() - 1) : 0);
  held.clear();
  move.plan.wait();
  move.expect_moved();
}

TEST(Credit, AShortStreamIsSentAtOnce) {
  holds_credit = true;
  Moved move(few, 1);
  move.start();
  EXPECT_EQ(sent, rank() == 0 ? 0 : 1);
  EXPECT_TRUE(held.empty());
  move.plan.wait();
  holds_credit = false;
  move.expect_moved();
}

// Process 0 does not go on with the move until the others have tried often.
TEST(Credit, ASenderDoesNotRunAheadOfASlowReceiver) {
  constexpr Index very_many = 5 * many, slots = very_many * Index{sizeof(double)} / (Index{60} << 10);
  Moved move(very_many, 1);
  move.start();
  if (rank() != 0) try_often(move.plan);
  EXPECT_LE(sent, slots / 2);
  PMPI_Barrier(MPI_COMM_WORLD);
  move.plan.wait();
  move.expect_moved();
}

// Every process sends to every other one, more of them than are active at a time if there are many.
TEST(Credit, CreditOfAMoveIsNotTakenForThatOfAnother) {
  Moved first(many, processes()), second(many / 2, processes());
  for (int repeat = 0; repeat < 3; ++repeat) {
    first.start();
    second.start();  // ends the first move
    first.plan.wait();
    second.plan.wait();
    first.expect_moved();
    second.expect_moved();
    first.start();
    first.start();
    first.plan.wait();
    first.expect_moved();
  }
}
