#include "support/different_calls.hpp"
#include "support/parts.hpp"
#include <tridap/ghosts/ghost_update.hpp>
#include <tridap/make.hpp>
#include <tridap/redistribute/gather.hpp>

using tridap::Distribution;
using tridap::GhostedArray;
using tridap::Index;

TEST(GhostCalls, ThatDifferAreAnErrorOnAllProcesses) {
  const Index rank = on::rank(MPI_COMM_WORLD), processes = on::processes(MPI_COMM_WORLD);
  const Distribution line = Distribution::make({3 * processes}, {tridap::block()}, {processes});
  tridap::DistArray array = on::part_of(line, rank);
  const tridap::Buffer local = tridap::allocate(tridap::element_type<double>(), {4});
  const std::vector<Index> ghosts = {(3 * rank + 3) % (3 * processes)};
  const GhostedArray ghosted = tridap::make_ghosted(local, ghosts, MPI_COMM_WORLD);
  different_calls::expect_errors({
      {"make_ghosted", [&] { tridap::make_ghosted(local, ghosts, MPI_COMM_WORLD); }},
      {"copy_with_ghosts", [&] { tridap::copy_with_ghosts(array, ghosts, MPI_COMM_WORLD); }},
      {"GhostUpdate", [&] { tridap::GhostUpdate(ghosted, MPI_COMM_WORLD); }},
      {"update_ghosts", [&] { tridap::update_ghosts(ghosted, MPI_COMM_WORLD); }},
      {"sum_ghosts", [&] { tridap::sum_ghosts(ghosted, MPI_COMM_WORLD); }},
      {"redistribute::allgather", [&] { tridap::redistribute::allgather(array, MPI_COMM_WORLD); }},
  });
}
