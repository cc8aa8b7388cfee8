// Memory ends on one process at each allocation of ours that is as large as data, in each collective call: every
// process throws or none does, and nobody waits for ever. PETSc's own allocations do not count.

#include "support/memory_ends.hpp"

#include "petsc_support.hpp"
#include <tridap/ghosts/ghosted_array.hpp>
#include <tridap/petsc/matrix.hpp>

#include <petscmat.h>

#include <numeric>
#include <vector>

using namespace petsc_test;
using tridap::Copy;
using tridap::DistArray;
using tridap::Distribution;
using tridap::GhostedArray;

namespace {

constexpr Index each = 3000;  // elements of a process, 24 KB

// So many elements on each process, and all of the next process as ghosts.
GhostedArray ghosted(MPI_Comm comm) {
  const Index next = each * ((on::rank(comm) + 1) % on::processes(comm));
  std::vector<Index> ghosts(static_cast<std::size_t>(each));
  std::iota(ghosts.begin(), ghosts.end(), next);
  return tridap::make_ghosted(tridap::allocate(tridap::element_type<PetscScalar>(), {2 * each}), ghosts, comm);
}

// The second difference of these elements on each process.
Mat make_mat(MPI_Comm comm) {
  Mat mat = nullptr;
  EXPECT_EQ(MatCreateAIJ(comm, each, each, PETSC_DETERMINE, PETSC_DETERMINE, 3, nullptr, 2, nullptr, &mat), 0);
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
        part_of(Distribution::make({each * processes(), 2}, {tridap::cyclic(), tridap::whole()}, {processes(), 1}));
    mat = make_mat(comm);
    rows = petsc::export_matrix(mat).rows;
  }
  Case(const Case&) = delete;
  ~Case() { MatDestroy(&mat); }

  MPI_Comm comm;
  DistArray dealt_out;
  GhostedArray with_ghosts;
  Mat mat = nullptr;
  tridap::SparseRows rows;
};

void destroyed(petsc::ImportedVec made) { VecDestroy(&made.vec); }
void destroyed(petsc::ImportedMat made) { MatDestroy(&made.mat); }

const std::vector<memory_ends::Call<Case>> calls = {
    {"import_array of a copy",
     [](const Case& with) { destroyed(petsc::import_array(with.dealt_out, with.comm, Copy::always)); }},
    {"import_ghosted", [](const Case& with) { destroyed(petsc::import_ghosted(with.with_ghosts, with.comm)); }},
    {"make_ordering",
     [](const Case& with) {
       AO ordering = petsc::make_ordering(with.dealt_out, with.comm);
       AODestroy(&ordering);
     }},
    {"import_matrix", [](const Case& with) { destroyed(petsc::import_matrix(with.rows, with.comm)); }},
};

}  // namespace

TEST(PetscMemoryEnds, NoProcessWaits) { memory_ends::expect_no_wait(calls); }
