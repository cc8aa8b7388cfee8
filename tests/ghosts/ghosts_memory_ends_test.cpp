#include "support/memory_ends.hpp"
#include <tridap/ghosts/ghost_update.hpp>
#include <tridap/make.hpp>

// Memory ends on one process at each allocation that is as large as data, of each collective call: nobody waits for
// ever.
namespace {

using namespace tridap;

constexpr Index each = 3000;  // elements of a process, and ghosts: 24 KB of ids

// A call, and what it is made with, which does not count.
struct Case {
  explicit Case(MPI_Comm with) : comm(with), local(allocate(element_type<double>(), {2 * each, 2})) {
    const Index next = (on::rank(comm) + 1) % on::processes(comm);
    for (Index i = each; i-- > 0;) ghosts.push_back(each * next + i);
    part.buffer = allocate(element_type<double>(), {each, 2});
    part.dim_data =
        Distribution::make({each * on::processes(comm), 2}, {block(each), whole()}, {on::processes(comm), 1})
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
