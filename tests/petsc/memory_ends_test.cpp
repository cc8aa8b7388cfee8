// Memory ends on one process at each allocation of ours in each collective call: every process throws or none does, and
// nobody waits for ever. PETSc's own allocations do not count.

#include "support/memory_ends.hpp"

#include "petsc_support.hpp"
#include <tridap/ghosts/ghosted_array.hpp>
#include <tridap/petsc/matrix.hpp>

#include <petscmat.h>

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

// The second difference of 4 elements on each process.
Mat make_mat(MPI_Comm comm) {
  Mat mat = nullptr;
  EXPECT_EQ(MatCreateAIJ(comm, 4, 4, PETSC_DETERMINE, PETSC_DETERMINE, 3, nullptr, 2, nullptr, &mat), 0);
  PetscInt begin = 0, end = 0, all = 0;
  MatGetOwnershipRange(mat, &begin, &end);
  MatGetSize(mat, &all, nullptr);
  for (PetscInt i = begin; i < end; ++i)
    for (const PetscInt j : {i - 1, i, i + 1})
      if (j >= 0 && j < all) MatSetValue(mat, i, j, i == j ? 2 : -1, INSERT_VALUES);
  MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY);
  return mat;
}

// What the calls are made with.
struct Case {
  explicit Case(MPI_Comm with) : comm(with), with_ghosts(ghosted(comm)) {
    dealt_out =
        part_of(Distribution::make({4 * processes(), 2}, {tridap::cyclic(), tridap::whole()}, {processes(), 1}));
    if (rank() == 0) std::get<tridap::Block>(wrong.dim_data[0].dist).stop += 1;
    dm = petsc::create_dmda(blocks_of_all, comm);
    vec = make_vec(4, comm);
    mat = make_mat(comm);
    rows = petsc::export_matrix(mat).rows;
    product = petsc::export_operator(mat);
  }
  Case(const Case&) = delete;
  ~Case() {
    DMDestroy(&dm);
    VecDestroy(&vec);
    MatDestroy(&mat);
  }

  MPI_Comm comm;
  Distribution blocks_of_all = Distribution::make({4 * processes()}, {tridap::block()}, {processes()});
  DistArray blocks = part_of(blocks_of_all), wrong = blocks, dealt_out;
  GhostedArray with_ghosts;
  DM dm = nullptr;
  Vec vec = nullptr;
  Mat mat = nullptr;
  tridap::SparseRows rows;
  tridap::LinearOperator product;
};

void destroyed(petsc::ImportedVec made) { VecDestroy(&made.vec); }
void destroyed(petsc::ImportedMat made) { MatDestroy(&made.mat); }

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
    {"import_matrix", [](const Case& with) { destroyed(petsc::import_matrix(with.rows, with.comm)); }},
    {"update_values", [](const Case& with) { petsc::update_values(with.mat, with.rows); }},
    {"export_operator", [](const Case& with) { petsc::export_operator(with.mat); }},
    {"import_operator", [](const Case& with) { destroyed(petsc::import_operator(with.product, with.comm)); }},
    {"create_dmda",
     [](const Case& with) {
       DM made = petsc::create_dmda(with.blocks_of_all, with.comm);
       DMDestroy(&made);
     }},
};

}  // namespace

TEST(PetscMemoryEnds, NoProcessWaits) { memory_ends::expect_no_wait(calls); }
