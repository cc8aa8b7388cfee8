#include "mat_case.hpp"

#include <petscksp.h>

using namespace sparse_test;

TEST(MatImport, HasThePatternAndTheValues) {
  Random random(31);
  for (int i = 0; i < effort::of(200, 50); ++i) {
    const Case of = random_case(random);
    const Memory memory(of, random, static_cast<std::size_t>(random.between(1, 3)), random.one_in(2));
    petsc::ImportedMat made = petsc::import_matrix(memory.rows, MPI_COMM_WORLD);
    EXPECT_EQ(entries_of(made.mat), own_entries(of));
    expect_product(made.mat, of);
    EXPECT_EQ(made.receipt.bytes_copied, static_cast<Index>(8 * own_entries(of).size()));
    PetscBool same = PETSC_FALSE;
    PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(made.mat), &same, MATSEQAIJ, MATMPIAIJ, "");
    EXPECT_EQ(same, PETSC_TRUE);
    MatDestroy(&made.mat);
    if (HasFailure()) FAIL() << "case " << i;
  }
  petsc::collect();
}

// A Mat that was imported is like any other: entries may be sent to other processes.
TEST(MatImport, OtherProcessesMaySetValuesInIt) {
  Case of;
  for (int p = 0; p <= processes(); ++p) of.rows.push_back(p);
  of.columns = of.rows;
  for (Index i = 0; i < processes(); ++i) of.entries[{i, i}] = 1;
  Random random(32);
  const Memory memory(of, random, 1, false);
  petsc::ImportedMat made = petsc::import_matrix(memory.rows, MPI_COMM_WORLD);
  const PetscInt next = (rank() + 1) % processes();
  MatSetValue(made.mat, next, next, 5 + next, INSERT_VALUES);
  MatAssemblyBegin(made.mat, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(made.mat, MAT_FINAL_ASSEMBLY);
  EXPECT_EQ(entries_of(made.mat), (std::map<std::pair<Index, Index>, double>{{{rank(), rank()}, 5.0 + rank()}}));
  MatDestroy(&made.mat);
}

TEST(MatUpdate, ChangesTheValuesInPlace) {
  Random random(33);
  for (int i = 0; i < effort::of(150, 40); ++i) {
    const Case before = random_case(random), after = with_new_values(before, random);
    Mat mat = make_mat(before);
    const petsc::ExportedMatrix exported = petsc::export_matrix(mat);
    const Memory memory(after, random, 2, random.one_in(2));
    PetscObjectState pattern = 0, unchanged = 0;
    MatGetNonzeroState(mat, &pattern);
    const tridap::Receipt receipt = petsc::update_values(mat, memory.rows);
    MatGetNonzeroState(mat, &unchanged);
    EXPECT_EQ(pattern, unchanged);
    EXPECT_EQ(receipt.bytes_copied, static_cast<Index>(8 * own_entries(after).size()));
    EXPECT_EQ(entries_of(mat), own_entries(after));
    EXPECT_EQ(entries_of(exported.rows), own_entries(after));  // in the same memory
    expect_product(mat, after);
    MatDestroy(&mat);
    if (HasFailure()) FAIL() << "case " << i;
  }
  petsc::collect();
}

TEST(MatUpdate, APatternThatDiffersOnOneProcessIsRefusedOnAll) {
  Case of = square_case(2);
  for (Index i = 0; i < of.rows.back(); ++i) of.entries[{i, i}] = 1;
  Random random(34);
  Mat mat = make_mat(of);
  for (int bad = 0; bad < processes(); ++bad) {
    Case other = with_new_values(of, random);
    other.entries[{2 * bad, 2 * bad + 1}] = 3;
    const Memory memory(other, random, 1, false);
    on::expect_refused([&] { petsc::update_values(mat, memory.rows); },
                       "has a new entry in column " + std::to_string(2 * bad + 1));
    EXPECT_EQ(entries_of(mat), own_entries(of));
  }
  MatDestroy(&mat);
}

// PETSc makes its preconditioner again after an update, as after MatAssemblyEnd.
TEST(MatUpdate, PetscKnowsThatTheValuesAreNew) {
  Case of = square_case(3);
  for (Index i = 0; i < of.rows.back(); ++i) of.entries[{i, i}] = 2;
  Mat mat = make_mat(of);
  KSP solver = nullptr;
  KSPCreate(MPI_COMM_WORLD, &solver);
  KSPSetOperators(solver, mat, mat);
  KSPSetType(solver, KSPPREONLY);  // the answer is that of the preconditioner
  PC preconditioner = nullptr;
  KSPGetPC(solver, &preconditioner);
  PCSetType(preconditioner, PCJACOBI);
  Vec x = nullptr, b = nullptr;
  MatCreateVecs(mat, &x, &b);
  VecSet(b, 8);
  KSPSolve(solver, b, x);
  EXPECT_EQ(PetscRealPart(petsc_test::value_in(x, 3 * rank())), 4);
  for (auto& [at, value] : of.entries) value = 16;
  Random random(35);
  petsc::update_values(mat, Memory(of, random, 1, false).rows);
  KSPSolve(solver, b, x);
  EXPECT_EQ(PetscRealPart(petsc_test::value_in(x, 3 * rank())), 0.5);
  VecDestroy(&x);
  VecDestroy(&b);
  KSPDestroy(&solver);
  MatDestroy(&mat);
}

TEST(MatImport, OneBadProcessFailsEveryProcess) {
  Random random(36);
  for (int bad = 0; bad < processes(); ++bad) {
    Case of = square_case(2);
    for (Index i = 0; i < of.rows.back(); ++i) of.entries[{i, i}] = 1;
    const auto refused = [&](const std::string& says, const auto& change) {
      Memory from(of, random, 1, false);
      if (rank() == bad) change(from.rows);
      on::expect_refused([&] { petsc::import_matrix(from.rows, MPI_COMM_WORLD); }, says);
    };
    refused("the values are float32", [](SparseRows& rows) { rows.type = tridap::element_type<float>(); });
    refused("must be those of this process", [](SparseRows& rows) { rows.process += 1; });
    refused("row starts", [](SparseRows& rows) { --rows.parts[0].row_starts.count; });
    const Index most = std::numeric_limits<PetscInt>::max();
    if (sizeof(PetscInt) == 4) {
      refused("PETSc was built with integers of 32 bits",
              [&](SparseRows& rows) { rows.column_bounds.back() = most + 1; });
    }
  }
  on::expect_refused([&] { petsc::import_matrix({}, MPI_COMM_NULL); }, "the communicator is MPI_COMM_NULL");
}
