// Memory ends on one process at each allocation of ours in each collective call: every process throws or none does, and
// nobody waits for ever. PETSc's own allocations do not count.

#include "support/memory_ends.hpp"

#include "petsc_support.hpp"
#include <tridap/ghosts/ghosted_array.hpp>

using namespace petsc_test;
using tridap::Copy;
using tridap::DistArray;
using tridap::Distribution;
using tridap::GhostedArray;

namespace {

// Four elements on each process, and one of the next process as a ghost.
GhostedArray ghosted(MPI_Comm comm) {
  const Index next = 4 * ((on::rank(comm) + 1) % on::processes(comm));
  return tridap::make_ghosted(tridap::allocate(tridap::element_type<PetscScalar>(), {5}), {next}, comm);
}

// What the calls are made with.
struct Case {
  explicit Case(MPI_Comm with) : comm(with), with_ghosts(ghosted(comm)) {
    dealt_out =
        part_of(Distribution::make({4 * processes(), 2}, {tridap::cyclic(), tridap::whole()}, {processes(), 1}));
    if (rank() == 0) std::get<tridap::Block>(wrong.dim_data[0].dist).stop += 1;
    dm = petsc::create_dmda(blocks_of_all, comm);
    vec = make_vec(4, comm);
  }
  Case(const Case&) = delete;
  ~Case() {
    DMDestroy(&dm);
    VecDestroy(&vec);
  }

  MPI_Comm comm;
  Distribution blocks_of_all = Distribution::make({4 * processes()}, {tridap::block()}, {processes()});
  DistArray blocks = part_of(blocks_of_all), wrong = blocks, dealt_out;
  GhostedArray with_ghosts;
  DM dm = nullptr;
  Vec vec = nullptr;
};

void destroyed(petsc::ImportedVec made) { VecDestroy(&made.vec); }

const std::vector<memory_ends::Call<Case>> calls = {
    {"import_array", [](const Case& with) { destroyed(petsc::import_array(with.blocks, with.comm)); }},
    {"import_array of what is wrong", [](const Case& with) { destroyed(petsc::import_array(with.wrong, with.comm)); }},
    {"import_array of a copy",
     [](const Case& with) { destroyed(petsc::import_array(with.dealt_out, with.comm, Copy::always)); }},
    {"import_array of a DMDA", [](const Case& with) { destroyed(petsc::import_array(with.dm, with.blocks)); }},
    {"import_ghosted", [](const Case& with) { destroyed(petsc::import_ghosted(with.with_ghosts, with.comm)); }},
    {"place_array",
     [](const Case& with) {
       petsc::place_array(with.vec, with.blocks);
       petsc::reset_array(with.vec);
     }},
    {"make_ordering",
     [](const Case& with) {
       AO ordering = petsc::make_ordering(with.dealt_out, with.comm);
       AODestroy(&ordering);
     }},
    {"create_dmda",
     [](const Case& with) {
       DM made = petsc::create_dmda(with.blocks_of_all, with.comm);
       DMDestroy(&made);
     }},
};

}  // namespace

TEST(PetscMemoryEnds, NobodyWaits) { memory_ends::expect_no_wait(calls); }
