#include "redistribute/move_checks.hpp"
#include <tridap/make.hpp>

#include <memory>
#include <vector>

// While a move waits, the caller's own messages go on: what it waits for may wait for them.

namespace {

using tridap::DistArray;
using tridap::Distribution;
using tridap::Index;
using tridap::redistribute::Redistribution;

constexpr Index size = 4'000'000;  // elements: far more than the shared memory between two processes takes at once
constexpr int tag = 7;

Index rank() { return on::rank(MPI_COMM_WORLD); }
Index processes() { return on::processes(MPI_COMM_WORLD); }

DistArray part(const Distribution& distribution) {
  DistArray array;
  array.buffer = tridap::allocate(tridap::element_type<double>(), distribution.local_shape(rank()));
  return array;
}

/// A move of `size` doubles from blocks to cyclic, whose arrays are in ordinary memory.
struct Dealing {
  Distribution blocks = Distribution::make({size}, {tridap::block()}, {processes()});
  Distribution dealt = Distribution::make({size}, {tridap::cyclic()}, {processes()});
  Redistribution plan{blocks, dealt, 8, MPI_COMM_WORLD};
  DistArray source = part(blocks), target = part(dealt);

  Dealing() {
    auto* const first = static_cast<double*>(source.buffer.data);
    for (Index i = 0; i < source.buffer.shape[0]; ++i)
      first[i] = static_cast<double>(blocks.axis(0).global_index(rank(), i));
  }
  void expect_moved() const {
    const auto* const first = static_cast<const double*>(target.buffer.data);
    Index wrong = 0;
    for (Index i = 0; i < target.buffer.shape[0]; ++i)
      wrong += first[i] != static_cast<double>(rank() + i * processes());
    EXPECT_EQ(wrong, 0);
  }
};

/// Process 0 receives a message from each of the others around its move; they send theirs before they wait for it.
template <class Send, class Wait>
void expect_no_hang(int bytes, Send send, Wait wait) {
  Dealing move;
  std::vector<std::vector<char>> letters(static_cast<std::size_t>(processes()),
                                         std::vector<char>(static_cast<std::size_t>(bytes)));
  std::vector<MPI_Request> requests;
  if (rank() == 0)
    for (int from = 1; from < processes(); ++from) {
      requests.emplace_back();
      MPI_Irecv(letters[static_cast<std::size_t>(from)].data(), bytes, MPI_CHAR, from, tag, MPI_COMM_WORLD,
                &requests.back());
    }
  move.plan.start({{move.source, move.target}});
  if (rank() != 0) send(letters[0].data(), bytes);
  wait(move.plan);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  move.expect_moved();
}

void send(const char* letter, int bytes) { MPI_Send(letter, bytes, MPI_CHAR, 0, tag, MPI_COMM_WORLD); }
void send_synchronously(const char* letter, int bytes) { MPI_Ssend(letter, bytes, MPI_CHAR, 0, tag, MPI_COMM_WORLD); }
void wait_at_once(Redistribution& plan) { plan.wait(); }
void test_until_done(Redistribution& plan) {
  while (!plan.test()) {
  }
  plan.wait();
}

}  // namespace

TEST(RedistributionProgress, WaitingLetsMessagesOfTheCallerArrive) {
  expect_no_hang(1'000'000, send, wait_at_once);
  expect_no_hang(1000, send_synchronously, wait_at_once);
}

TEST(RedistributionProgress, TestingLetsMessagesOfTheCallerArrive) {
  expect_no_hang(1'000'000, send, test_until_done);
  expect_no_hang(1000, send_synchronously, test_until_done);
}

TEST(RedistributionProgress, ADestroyedPlanLetsMessagesOfTheCallerArrive) {
  char letter = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  {
    Dealing move;
    if (rank() == 0 && processes() > 1) MPI_Irecv(&letter, 1, MPI_CHAR, 1, tag, MPI_COMM_WORLD, &request);
    move.plan.start({{move.source, move.target}});
    if (rank() == 1) send_synchronously("x", 1);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(letter, rank() == 0 && processes() > 1 ? 'x' : 0);
}

TEST(RedistributionProgress, TheNextMoveEndsTheOneUnderWayAndLetsMessagesArrive) {
  char letter = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  Dealing move;
  if (rank() == 0 && processes() > 1) MPI_Irecv(&letter, 1, MPI_CHAR, 1, tag, MPI_COMM_WORLD, &request);
  move.plan.start({{move.source, move.target}});
  if (rank() == 1) send_synchronously("x", 1);
  move.plan(move.source, move.target);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(letter, rank() == 0 && processes() > 1 ? 'x' : 0);
  move.expect_moved();
}

// Process 0 has little for process 2 and much for process 1, and does nothing else after start() until process 2 has
// all of it and says so.
TEST(RedistributionProgress, StartSendsWhatItHasForAProcessWhileAnotherOneIsSlow) {
  if (processes() < 3) GTEST_SKIP() << "needs at least 3 processes";
  using tridap::redistribute::PlacedDistribution;
  constexpr Index few = 10;
  const PlacedDistribution from(Distribution::make({size}, {tridap::block()}, {1}), {0});
  const PlacedDistribution to(Distribution::make({size}, {tridap::block_at({0, few})}, {2}), {2, 1});
  Redistribution plan(from, to, 8, MPI_COMM_WORLD);
  DistArray source, target;
  if (rank() == 0) {
    source.buffer = tridap::allocate(tridap::element_type<double>(), {size});
    for (Index i = 0; i < size; ++i) static_cast<double*>(source.buffer.data)[i] = static_cast<double>(i);
  }
  if (to.process(rank()))
    target.buffer =
        tridap::allocate(tridap::element_type<double>(), to.distribution().local_shape(*to.process(rank())));
  plan.start({{source, target}});
  int done = 0;
  if (rank() == 2) {
    while (!plan.test()) continue;
    MPI_Send(&done, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
  }
  if (rank() == 0) MPI_Recv(&done, 1, MPI_INT, 2, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  plan.wait();
  const Index first = rank() == 1 ? few : 0;
  Index wrong = 0;
  for (Index i = 0; to.process(rank()) && i < target.buffer.shape[0]; ++i)
    wrong += static_cast<const double*>(target.buffer.data)[i] != static_cast<double>(first + i);
  EXPECT_EQ(wrong, 0);
}
