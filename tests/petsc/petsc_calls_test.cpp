#include "petsc_support.hpp"
#include "support/different_calls.hpp"
#include <tridap/redistribute/gather.hpp>

using namespace petsc_test;
using tridap::DistArray;
using tridap::Distribution;

namespace {

Distribution line() { return Distribution::make({3 * processes()}, {tridap::block()}, {Index{processes()}}); }

void destroy(Vec vec) { VecDestroy(&vec); }
void destroy(Mat mat) { MatDestroy(&mat); }
void destroy(DM dm) { DMDestroy(&dm); }
void destroy(AO ordering) { AODestroy(&ordering); }

// The identity.
Mat make_identity() {
  Mat mat = nullptr;
  MatCreateAIJ(MPI_COMM_WORLD, 3, 3, PETSC_DETERMINE, PETSC_DETERMINE, 1, nullptr, 0, nullptr, &mat);
  for (PetscInt i = 3 * rank(); i < 3 * rank() + 3; ++i) MatSetValue(mat, i, i, 1, INSERT_VALUES);
  MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY);
  return mat;
}

}  // namespace

// Objects of PETSc are on a communicator that PETSc made of the same one.
TEST(PetscCalls, ThatDifferAreAnErrorOnAllProcesses) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const DistArray array = part_of(line());
  Mat mat = make_identity();
  Vec vec = make_vec(3);
  DM dm = petsc::create_dmda(line(), comm);
  const tridap::SparseRows rows = petsc::export_matrix(mat).rows;
  const tridap::LinearOperator op = petsc::export_operator(mat);
  const tridap::GhostedArray ghosted = tridap::make_ghosted(tridap::allocate(tridap::element_type<PetscScalar>(), {4}),
                                                            {Index{(3 * rank() + 3) % (3 * processes())}}, comm);
  different_calls::expect_errors({
      {"petsc::import_array", [&] { destroy(petsc::import_array(array, comm).vec); }},
      {"petsc::import_array of a DM", [&] { destroy(petsc::import_array(dm, array).vec); }},
      {"petsc::place_array",
       [&] {
         petsc::place_array(vec, array);
         petsc::reset_array(vec);
       }},
      {"petsc::make_ordering", [&] { destroy(petsc::make_ordering(array, comm)); }},
      {"petsc::import_ghosted", [&] { destroy(petsc::import_ghosted(ghosted, comm).vec); }},
      {"petsc::import_matrix", [&] { destroy(petsc::import_matrix(rows, comm).mat); }},
      {"petsc::update_values", [&] { petsc::update_values(mat, rows); }},
      {"petsc::export_operator", [&] { petsc::export_operator(mat); }},
      {"petsc::import_operator", [&] { destroy(petsc::import_operator(op, comm).mat); }},
      {"petsc::create_dmda", [&] { destroy(petsc::create_dmda(line(), comm)); }},
      {"petsc::collect", [] { petsc::collect(); }},
      {"redistribute::allgather", [&] { tridap::redistribute::allgather(array, comm); }},
  });
  destroy(mat);
  destroy(vec);
  destroy(dm);
}
