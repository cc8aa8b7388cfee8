#include "mat_case.hpp"

using namespace sparse_test;

TEST(MatExport, SaysWhatMatGetRowSaysInTheMatsOwnMemory) {
  Random random(21);
  for (int i = 0; i < effort::of(200, 50); ++i) {
    const Case of = random_case(random);
    Mat mat = make_mat(of);
    const petsc::ExportedMatrix exported = petsc::export_matrix(mat);
    tridap::check(exported.rows, MPI_COMM_WORLD);
    EXPECT_EQ(exported.rows.row_bounds, of.rows);
    EXPECT_EQ(exported.rows.column_bounds, of.columns);
    EXPECT_EQ(exported.rows.parts.size(), processes() == 1 ? 1u : 2u);
    EXPECT_EQ(entries_of(exported.rows), own_entries(of));
    EXPECT_EQ(exported.receipt.bytes_copied, 0);
    EXPECT_TRUE(exported.receipt.losses.empty());
    MatScale(mat, 2);  // the rows see it
    auto doubled = own_entries(of);
    for (auto& [at, value] : doubled) value *= 2;
    EXPECT_EQ(entries_of(exported.rows), doubled);
    MatDestroy(&mat);
    if (HasFailure()) FAIL() << "case " << i;
  }
  petsc::collect();
}

TEST(MatExport, OtherTypesAreRefusedByNameWithWhatToDo) {
  Random random(22);
  Case of = square_case(2);
  for (Index i = 0; i < of.rows.back(); ++i) of.entries[{i, i}] = 1;
  const std::string mpi = processes() == 1 ? "seq" : "mpi";
  for (const char* type : {MATBAIJ, MATSBAIJ, MATDENSE}) {
    Mat mat = make_mat(of, type);
    const std::string text = on::same_error_text([&] { petsc::export_matrix(mat); });
    expect_says(text, "the Mat is of type " + mpi + type + ", must be of type seqaij or mpiaij");
    expect_says(text, "MatConvert (in Python mat.convert(\"aij\"))");
    MatDestroy(&mat);
  }
  Mat shell = nullptr;
  MatCreateShell(MPI_COMM_WORLD, 2, 2, PETSC_DETERMINE, PETSC_DETERMINE, nullptr, &shell);
  on::expect_refused([&] { petsc::export_matrix(shell); }, "use export_operator()");
  MatDestroy(&shell);
  Mat parts[1] = {make_mat(of)}, nest = nullptr;
  MatCreateNest(MPI_COMM_WORLD, 1, nullptr, 1, nullptr, parts, &nest);
  on::expect_refused([&] { petsc::export_matrix(nest); }, "the Mat is of type nest");
  Mat converted = nullptr;
  ASSERT_EQ(MatConvert(nest, MATAIJ, MAT_INITIAL_MATRIX, &converted), 0);
  EXPECT_EQ(entries_of(petsc::export_matrix(converted).rows), own_entries(of));
  MatDestroy(&converted);
  MatDestroy(&nest);
  MatDestroy(&parts[0]);
}

TEST(MatExport, ANullAMatWithoutATypeAndOneThatIsNotAssembledAreRefused) {
  on::expect_refused([&] { petsc::export_matrix(nullptr); }, "the Mat is null");
  Mat mat = nullptr;
  MatCreate(MPI_COMM_WORLD, &mat);
  on::expect_refused([&] { petsc::export_matrix(mat); }, "the Mat has no type");
  MatSetSizes(mat, 1, 1, PETSC_DETERMINE, PETSC_DETERMINE);
  MatSetType(mat, MATAIJ);
  MatSetUp(mat);
  on::expect_refused([&] { petsc::export_matrix(mat); }, "the Mat is not assembled");
  MatDestroy(&mat);
}

TEST(MatExport, TheReceiptNamesWhatRowsDoNotHave) {
  Case of = square_case(2);
  Mat mat = make_mat(of);
  MatNullSpace space = nullptr;
  MatNullSpaceCreate(MPI_COMM_WORLD, PETSC_TRUE, 0, nullptr, &space);
  MatSetNullSpace(mat, space);
  MatSetNearNullSpace(mat, space);
  MatNullSpaceDestroy(&space);
  EXPECT_EQ(petsc::export_matrix(mat).receipt.losses,
            (std::vector<std::string>{"the null space", "the near null space"}));
  MatDestroy(&mat);
  MatCreateAIJ(MPI_COMM_WORLD, 2, 2, PETSC_DETERMINE, PETSC_DETERMINE, 1, nullptr, 0, nullptr, &mat);
  MatSetBlockSize(mat, 2);
  MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY);
  EXPECT_EQ(petsc::export_matrix(mat).receipt.losses, (std::vector<std::string>{"the block size 2"}));
  MatDestroy(&mat);
}

TEST(MatExport, RowsOutliveMatDestroy) {
  Random random(23);
  const Case of = random_case(random, true);
  Mat mat = make_mat(of);
  const tridap::Index before = petsc::held().exports;
  petsc::ExportedMatrix exported = petsc::export_matrix(mat);
  EXPECT_EQ(petsc::held().exports, before + 1);
  MatDestroy(&mat);
  EXPECT_EQ(entries_of(exported.rows), own_entries(of));
  exported = {};
  EXPECT_EQ(petsc::held().exports, before);
  EXPECT_EQ(petsc::held().waiting, 1);
  EXPECT_EQ(petsc::collect(), 1);
}
