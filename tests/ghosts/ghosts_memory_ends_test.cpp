#include "support/memory_ends.hpp"
#include <tridap/ghosts/ghost_update.hpp>
#include <tridap/make.hpp>

// Memory ends on one process at each allocation of each collective call: nobody waits for ever.
namespace {

using namespace tridap;

// A call, and what it is made with, which does not count.
struct Case {
  explicit Case(MPI_Comm with) : comm(with), local(allocate(element_type<double>(), {8, 2})) {
    const Index next = (on::rank(comm) + 1) % on::processes(comm);
    ghosts = {6 * next + 3, 6 * next};
    part.buffer = allocate(element_type<double>(), {6, 2});
    part.dim_data = Distribution::make({6 * on::processes(comm), 2}, {block(6), whole()}, {on::processes(comm), 1})
                        .dim_data(on::rank(comm));
    ghosted.emplace(local, part.dim_data, ghosts);
  }
  MPI_Comm comm;
  Buffer local;
  std::vector<Index> ghosts;
  DistArray part;
  std::optional<GhostedArray> ghosted;
};

const std::vector<memory_ends::Call<Case>> calls = {
    {"make_ghosted", [](const Case& with) { make_ghosted(with.local, with.ghosts, with.comm); }},
    {"make_ghosted of dim_data",
     [](const Case& with) { make_ghosted(with.local, with.part.dim_data, with.ghosts, with.comm); }},
    {"copy_with_ghosts", [](const Case& with) { copy_with_ghosts(with.part, with.ghosts, with.comm); }},
    {"update_ghosts", [](const Case& with) { update_ghosts(*with.ghosted, with.comm); }},
    {"sum_ghosts", [](const Case& with) { sum_ghosts(*with.ghosted, with.comm); }},
};

}  // namespace

TEST(GhostsMemoryEnds, NoProcessWaits) { memory_ends::expect_no_wait(calls); }
