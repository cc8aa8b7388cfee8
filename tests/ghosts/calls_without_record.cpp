// What its argument names, with a watchdog: a call that makes no reduction on rank 0, and another one on the others.
// The watchdog shows where they wait; then the program ends by SIGALRM.

#include "support/parts.hpp"
#include <tridap/ghosts/ghost_update.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/watch.hpp>
#include <tridap/redistribute/gather.hpp>
#include <tridap/redistribute/padding.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <string>

using tridap::Distribution;
using tridap::Index;

namespace {

Index rank = 0, processes = 1;

tridap::DistArray part_of(const Distribution& distribution) { return on::part_of(distribution, rank); }

// The others make a call with a record, which waits for rank 0.
void wait_against(const std::function<void()>& without_record) {
  tridap::mpi::watch(0.3);
  alarm(3);
  if (rank == 0) without_record();
  std::printf("rank %d goes on\n", static_cast<int>(rank));
  std::fflush(stdout);
  const Distribution line = Distribution::make({processes}, {tridap::block()}, {processes});
  tridap::redistribute::allgather(part_of(line), MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

void ghosts() {
  tridap::GhostUpdate plan(tridap::make_ghosted(tridap::allocate(tridap::element_type<double>(), {4}),
                                                {(3 * rank + 3) % (3 * processes)}, MPI_COMM_WORLD),
                           MPI_COMM_WORLD);
  wait_against([&] { plan.update_ghosts(); });
}

void padding() {
  const Distribution padded = Distribution::make({4 * processes}, {tridap::padded_block(1)}, {processes});
  tridap::redistribute::PaddingUpdate plan(part_of(padded).buffer, padded, MPI_COMM_WORLD);
  wait_against([&] { plan.update(); });
}

// A move that all processes have started, and for which rank 0 alone waits at first.
void move() {
  const Index size = 1 << 16;
  const Distribution from = Distribution::make({size}, {tridap::block()}, {processes});
  const Distribution to = Distribution::make({size}, {tridap::cyclic(3)}, {processes});
  tridap::redistribute::Redistribution plan(from, to, 8, MPI_COMM_WORLD);
  const tridap::DistArray source = part_of(from), target = part_of(to);
  plan.start({{source, target}});
  wait_against([&] { plan.wait(); });
  if (rank != 0) plan.wait();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  rank = tridap::mpi::rank_of(MPI_COMM_WORLD);
  int count = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  processes = count;
  const std::string name = argc > 1 ? argv[1] : "";
  if (name == "ghosts") ghosts();
  if (name == "padding") padding();
  if (name == "move") move();
  tridap::mpi::watch(0);
  MPI_Finalize();
}
