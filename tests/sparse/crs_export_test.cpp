#include "crs_case.hpp"

using namespace sparse_test;

TEST(CrsExport, NumbersRowsAndColumnsProcessAfterProcess) {
  Random random(51);
  for (int i = 0; i < effort::of(200, 50); ++i) {
    const bool square = i % 2 == 0, counts = i % 3 == 0;
    const Case of = random_case(random, square);
    const Names rows = counts ? counted(of.rows.back()) : shuffled(of.rows.back(), random);
    const Names columns = square ? rows : counts ? counted(of.columns.back()) : shuffled(of.columns.back(), random);
    const auto row_map = counts ? counted_map(of.rows) : named_map(of.rows, rows);
    const auto domain = square ? row_map : counts ? counted_map(of.columns) : named_map(of.columns, columns);
    const auto matrix = make_matrix(of, row_map, domain, rows, columns);
    const tpetra::ExportedMatrix exported = tpetra::export_matrix(matrix);
    tridap::check(exported.rows, MPI_COMM_WORLD);
    EXPECT_EQ(exported.rows.row_bounds, of.rows);
    EXPECT_EQ(exported.rows.column_bounds, of.columns);
    EXPECT_EQ(entries_of(exported.rows), own_entries(of));
    EXPECT_EQ(exported.receipt.losses.empty(), row_map->isContiguous() && domain->isContiguous());
    EXPECT_FALSE(exported.rows.read_only);
    EXPECT_TRUE(tpetra::export_matrix(Teuchos::RCP<const CrsMatrix>(matrix)).rows.read_only);
    for (const SparsePart& part : exported.rows.parts) {
      EXPECT_EQ(part.values, values_of(*matrix));  // no copy
    }
    if (HasFailure()) FAIL() << "case " << i;
  }
}

TEST(CrsExport, RowsOutliveTheMatrix) {
  Random random(52);
  const Case of = random_case(random, true);
  auto matrix =
      make_matrix(of, counted_map(of.rows), counted_map(of.rows), counted(of.rows.back()), counted(of.rows.back()));
  const tpetra::ExportedMatrix exported = tpetra::export_matrix(matrix);
  matrix = Teuchos::null;
  EXPECT_EQ(entries_of(exported.rows), own_entries(of));
}

TEST(CrsExport, AMatrixThatIsNotCompleteIsRefused) {
  Case of;
  for (int p = 0; p <= processes(); ++p) of.rows.push_back(2 * p);
  const auto matrix = Teuchos::rcp(new CrsMatrix(counted_map(of.rows), 1));
  expect_says(error_of([&] { tpetra::export_matrix(matrix); }), "call fillComplete first");
  expect_says(error_of([&] { tpetra::export_matrix(Teuchos::RCP<CrsMatrix>()); }), "the matrix is null");
}

TEST(CrsExport, RowsHoldTheMatrixUntilTheyAreReleased) {
  Random random(53);
  const Case of = random_case(random, true);
  const auto matrix =
      make_matrix(of, counted_map(of.rows), counted_map(of.rows), counted(of.rows.back()), counted(of.rows.back()));
  const int before = matrix.strong_count();
  {
    const tpetra::ExportedMatrix exported = tpetra::export_matrix(matrix);
    EXPECT_EQ(matrix.strong_count(), before + 1);
  }
  EXPECT_EQ(matrix.strong_count(), before);
}
