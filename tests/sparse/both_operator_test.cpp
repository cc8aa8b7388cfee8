// Operators of Tpetra in solvers of PETSc, and the other way round.

#include "crs_case.hpp"
#include "mat_case.hpp"
#include "second_difference.hpp"
#include <tridap/solvers/solve.hpp>
#include <tridap/tpetra/operator.hpp>

#include <petscksp.h>

using namespace sparse_test;

TEST(OperatorsOfBoth, AKspSolvesWithATpetraOperatorInAShellMat) {
  const Case of = second_difference();
  const Names names = counted(of.rows.back());
  const Teuchos::RCP<const tpetra::Operator> matrix =
      make_matrix(of, counted_map(of.rows), counted_map(of.rows), names, names);
  petsc::ImportedMat shell = petsc::import_operator(tpetra::export_operator(matrix), MPI_COMM_WORLD);
  KSP solver = nullptr;
  PC none = nullptr;
  KSPCreate(MPI_COMM_WORLD, &solver);
  KSPSetOperators(solver, shell.mat, shell.mat);
  KSPSetType(solver, KSPCG);
  KSPGetPC(solver, &none);
  PCSetType(none, PCNONE);
  KSPSetTolerances(solver, 1e-13, PETSC_DEFAULT, PETSC_DEFAULT, 500);
  Vec x = nullptr, b = nullptr;
  MatCreateVecs(shell.mat, &x, &b);
  VecSet(b, 1);
  ASSERT_EQ(KSPSolve(solver, b, x), 0);
  KSPConvergedReason reason = KSP_DIVERGED_NULL;
  KSPGetConvergedReason(solver, &reason);
  EXPECT_GT(static_cast<int>(reason), 0);
  for (Index i = of.row_begin(); i < of.row_end(); ++i)
    EXPECT_NEAR(PetscRealPart(petsc_test::value_in(x, i)), answer(of, i), 1e-7);
  VecDestroy(&x);
  VecDestroy(&b);
  KSPDestroy(&solver);
  MatDestroy(&shell.mat);
}

TEST(OperatorsOfBoth, BelosSolvesWithAMat) {
  const Case of = second_difference();
  for (const char* type : {MATAIJ, MATSBAIJ, MATDENSE}) {
    Mat mat = nullptr;
    if (std::string(type) == MATSBAIJ) {
      Mat aij = make_mat(of);
      MatSetOption(aij, MAT_SYMMETRIC, PETSC_TRUE);
      ASSERT_EQ(MatConvert(aij, MATSBAIJ, MAT_INITIAL_MATRIX, &mat), 0);
      MatDestroy(&aij);
    } else {
      mat = make_mat(of, type);
    }
    const auto op = tpetra::import_operator(petsc::export_operator(mat), MPI_COMM_WORLD);
    Vector b(op->getRangeMap()), x(op->getDomainMap());
    b.putScalar(1);
    tridap::solvers::Options options;
    options.tol = 1e-13;
    const auto solution = tridap::solvers::solve(op, Teuchos::null, b, x, options);
    EXPECT_TRUE(solution.converged);
    const auto found = x.getLocalViewHost(Tpetra::Access::ReadOnly);
    for (Index i = of.row_begin(); i < of.row_end(); ++i)
      EXPECT_NEAR(found(static_cast<std::size_t>(i - of.row_begin()), 0), answer(of, i), 1e-7);
    MatDestroy(&mat);
  }
  petsc::collect();
}

TEST(OperatorsOfBoth, RectangularOnesGoThroughBothLibraries) {
  Random random(91);
  for (int i = 0; i < 40; ++i) {
    const Case of = random_case(random);
    Mat mat = make_mat(of);
    const auto op = tpetra::import_operator(petsc::export_operator(mat), MPI_COMM_WORLD);
    expect_product(*op, of);
    petsc::ImportedMat shell = petsc::import_operator(tpetra::export_operator(op), MPI_COMM_WORLD);
    expect_product(shell.mat, of);
    MatDestroy(&shell.mat);
    MatDestroy(&mat);
    petsc::collect();
    if (HasFailure()) FAIL() << "case " << i;
  }
}
