// How long matrices of both libraries live. Under AddressSanitizer, memory that is freed too early or never is found.

#include "crs_case.hpp"
#include "mat_case.hpp"
#include "second_difference.hpp"
#include <tridap/tpetra/operator.hpp>

using namespace sparse_test;

namespace {

// What the program still has when PETSc ends. The end of the process frees it.
template <class Make>
auto never_destroyed(const Make& make) {
#ifdef __SANITIZE_ADDRESS__
  const __lsan::ScopedDisabler not_a_leak;
#endif
  return make();
}

testing::Environment* const left_object = testing::AddGlobalTestEnvironment(new petsc_test::LeftObject);

}  // namespace

TEST(MatrixLifetime, ACrsMatrixOutlivesItsMatAndAMatItsCrsMatrix) {
  const Case of = second_difference();
  Mat mat = make_mat(of);
  auto crs = tpetra::import_matrix(petsc::export_matrix(mat).rows, MPI_COMM_WORLD);
  MatDestroy(&mat);
  expect_product(*crs.matrix, of);
  petsc::ImportedMat back = petsc::import_matrix(crs.rows, MPI_COMM_WORLD);
  crs = {};
  expect_product(back.mat, of);
  MatDestroy(&back.mat);
  EXPECT_EQ(petsc::held().exports, 0);
  EXPECT_EQ(petsc::collect(), 0);  // the user destroyed it last
}

TEST(MatrixLifetime, ExportedRowsAndOperatorsKeepTheirMat) {
  const Case of = second_difference();
  Mat mat = make_mat(of);
  petsc::ExportedMatrix rows = petsc::export_matrix(mat);
  auto op = tpetra::import_operator(petsc::export_operator(mat), MPI_COMM_WORLD);
  MatDestroy(&mat);
  expect_product(*op, of);
  EXPECT_EQ(entries_of(rows.rows), own_entries(of));
  if (rank() % 2 == 1) rows = {};  // the processes release theirs at different times
  EXPECT_EQ(petsc::collect(), 0);
  rows = {};
  op = Teuchos::null;
  EXPECT_EQ(petsc::held().exports, 0);
  EXPECT_EQ(petsc::collect(), 3);  // the Mat, and the operator's two Vecs
}

TEST(MatrixLifetime, AShellMatKeepsItsOperatorUntilItIsDestroyed) {
  const Case of = second_difference();
  const auto watched = std::make_shared<int>(0);
  tridap::LinearOperator op;
  op.row_bounds = op.column_bounds = of.rows;
  op.process = rank();
  op.type = tridap::element_type<double>();
  op.apply = [watched](const tridap::DistArray&, const tridap::DistArray&) {};
  petsc::ImportedMat made = petsc::import_operator(op, MPI_COMM_WORLD);
  op = {};
  EXPECT_EQ(watched.use_count(), 2);
  MatDestroy(&made.mat);
  EXPECT_EQ(watched.use_count(), 1);
}

// The last test of the program: afterwards PETSc is not there.
TEST(PetscEnds, AMatrixOfTpetraGoesOn) {
  const Case of = second_difference();
  Mat mat = never_destroyed([&] { return make_mat(of); }), kept = never_destroyed([&] { return make_mat(of); });
  const auto crs = tpetra::import_matrix(petsc::export_matrix(mat).rows, MPI_COMM_WORLD);
  petsc::ExportedMatrix rows = petsc::export_matrix(mat), held = petsc::export_matrix(kept);
  auto op = never_destroyed([&] { return tpetra::import_operator(petsc::export_operator(mat), MPI_COMM_WORLD); });
  MatDestroy(&mat);
  rows = {};
  ASSERT_EQ(PetscFinalize(), 0);
  expect_product(*crs.matrix, of);
  const Case after = [&] {
    Case made = of;
    for (auto& [at, value] : made.entries) value *= 3;
    return made;
  }();
  Random random(95);
  tpetra::update_values(crs.matrix, Memory(after, random, 1, false).rows);
  expect_product(*crs.matrix, after);
  EXPECT_EQ(entries_of(held.rows), own_entries(of));
  held = {};
  op = Teuchos::null;
  EXPECT_EQ(petsc::held().exports, 0);
  on::expect_refused([&] { petsc::export_matrix(kept); }, "PETSc is finalised");
  on::expect_refused([&] { petsc::export_operator(kept); }, "PETSc is finalised");
  on::expect_refused([&] { petsc::import_matrix(crs.rows, MPI_COMM_WORLD); }, "PETSc is finalised");
}
