// Matrices of PETSc become matrices of Tpetra, and the other way round.

#include "crs_case.hpp"
#include "mat_case.hpp"
#include <tridap/tpetra/import.hpp>

#include <petscdmda.h>

using namespace sparse_test;

namespace {

Case diagonal(Index on_each) {
  Case of;
  for (int p = 0; p <= processes(); ++p) of.rows.push_back(on_each * p);
  of.columns = of.rows;
  for (Index i = 0; i < of.rows.back(); ++i) of.entries[{i, i}] = static_cast<double>(i + 1);
  return of;
}

}  // namespace

TEST(MatToCrs, ThereAndBackIsTheSameMat) {
  Random random(82);
  for (int i = 0; i < effort::of(100, 30); ++i) {
    const Case of = random_case(random, i % 2 == 0);
    Mat mat = make_mat(of);
    const auto crs = tpetra::import_matrix(petsc::export_matrix(mat).rows, MPI_COMM_WORLD);
    EXPECT_EQ(entries_of(*crs.matrix, of, counted(of.rows.back()), counted(of.columns.back())), own_entries(of));
    expect_product(*crs.matrix, of);
    petsc::ImportedMat back = petsc::import_matrix(tpetra::export_matrix(crs.matrix).rows, MPI_COMM_WORLD);
    PetscBool same = PETSC_FALSE;
    ASSERT_EQ(MatEqual(mat, back.mat, &same), 0);
    EXPECT_EQ(same, PETSC_TRUE);
    MatDestroy(&back.mat);
    MatDestroy(&mat);
    if (HasFailure()) FAIL() << "case " << i;
  }
  petsc::collect();
}

TEST(CrsToMat, AMatrixOnAnyMapIsNumberedProcessAfterProcess) {
  Random random(83);
  for (int i = 0; i < effort::of(100, 30); ++i) {
    const Case of = random_case(random, true);
    const Names names = shuffled(of.rows.back(), random);
    const auto map = named_map(of.rows, names);
    const auto crs = make_matrix(of, map, map, names, names);
    petsc::ImportedMat made = petsc::import_matrix(tpetra::export_matrix(crs).rows, MPI_COMM_WORLD);
    EXPECT_EQ(entries_of(made.mat), own_entries(of));
    expect_product(made.mat, of);
    MatDestroy(&made.mat);
    if (HasFailure()) FAIL() << "case " << i;
  }
}

TEST(UpdateBoth, NewValuesGoBothWaysWithoutANewGraph) {
  Random random(84);
  for (int i = 0; i < effort::of(100, 30); ++i) {
    const Case first = random_case(random), second = with_new_values(first, random),
               third = with_new_values(first, random);
    Mat mat = make_mat(first), other = make_mat(second);
    const auto crs = tpetra::import_matrix(petsc::export_matrix(mat).rows, MPI_COMM_WORLD);
    const auto graph = crs.matrix->getCrsGraph();
    const double* const values = values_of(*crs.matrix);
    tpetra::update_values(crs.matrix, petsc::export_matrix(other).rows);
    EXPECT_EQ(crs.matrix->getCrsGraph().get(), graph.get());
    EXPECT_EQ(values_of(*crs.matrix), values);
    expect_product(*crs.matrix, second);

    const Memory memory(third, random, 1, true);
    tridap::update_values(memory.rows, crs.rows, MPI_COMM_WORLD);
    petsc::update_values(mat, tpetra::export_matrix(crs.matrix).rows);
    EXPECT_EQ(entries_of(mat), own_entries(third));
    MatDestroy(&mat);
    MatDestroy(&other);
    if (HasFailure()) FAIL() << "case " << i;
  }
  petsc::collect();
}

TEST(UpdateBoth, AChangedPatternIsRefusedOnEveryProcess) {
  const Case of = diagonal(2);
  Mat mat = make_mat(of);
  const auto crs = tpetra::import_matrix(petsc::export_matrix(mat).rows, MPI_COMM_WORLD);
  MatDestroy(&mat);
  for (int bad = 0; bad < processes(); ++bad) {
    Case other = of;
    other.entries.erase({2 * bad + 1, 2 * bad + 1});
    for (auto& [at, value] : other.entries) value = -1;
    mat = make_mat(other);
    const petsc::ExportedMatrix exported = petsc::export_matrix(mat);
    on::expect_refused([&] { tpetra::update_values(crs.matrix, exported.rows); },
                       "has no entry in column " + std::to_string(2 * bad + 1));
    expect_product(*crs.matrix, of);  // nothing was changed
    MatDestroy(&mat);
  }
  Case longer = diagonal(3);
  mat = make_mat(longer);
  on::expect_refused([&] { tpetra::update_values(crs.matrix, petsc::export_matrix(mat).rows); },
                     "as many as the matrix has");
  MatDestroy(&mat);
}

// PETSc numbers the points of a DMDA process after process. The matrix fits the map of the grid's array, on which
// Tpetra's products are in PETSc's memory.
TEST(MatToCrs, AMatrixOverADmdaFitsTheMapOfTheGridsArray) {
  DM grid = nullptr;
  DMDACreate3d(MPI_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 7, 6, 5,
               PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, 1, 1, nullptr, nullptr, nullptr, &grid);
  DMSetUp(grid);
  Mat mat = nullptr;
  DMCreateMatrix(grid, &mat);
  Random random(85 + static_cast<unsigned>(rank()));
  const petsc::ExportedMatrix exported = petsc::export_matrix(mat);
  for (const SparsePart& part : exported.rows.parts)
    for (Index k = 0; k < part.columns.count; ++k) static_cast<double*>(part.values)[k] = random.value();
  MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY);

  Vec x = nullptr, y = nullptr, expected = nullptr;
  DMCreateGlobalVector(grid, &x);
  VecDuplicate(x, &y);
  VecDuplicate(x, &expected);
  petsc_test::number_elements(x);
  EXPECT_EQ(MatMult(mat, x, expected), 0);
  {
    const auto from = petsc::export_array(grid, x), to = petsc::export_array(grid, y);
    const tpetra::ArrayMap map(from.array, MPI_COMM_WORLD);
    const auto crs = tpetra::import_matrix(exported.rows, map.map(), map.map());
    const auto vx = tpetra::import_vector<double>(from.array, map), vy = tpetra::import_vector<double>(to.array, map);
    EXPECT_EQ(vx.receipt.bytes_copied + vy.receipt.bytes_copied, 0);
    crs.matrix->apply(*vx.vector, *vy.vector);
  }
  VecAXPY(y, -1, expected);
  PetscReal norm = 1, scale = 0;
  VecNorm(y, NORM_INFINITY, &norm);
  VecNorm(expected, NORM_INFINITY, &scale);
  EXPECT_GT(scale, 0);
  EXPECT_LT(norm, 1e-12 * scale);
  for (Vec* vec : {&x, &y, &expected}) VecDestroy(vec);
  MatDestroy(&mat);
  DMDestroy(&grid);
}
