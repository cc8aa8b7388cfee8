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
  on::expect_refused([&] { tpetra::export_matrix(matrix); }, "call fillComplete first");
  on::expect_refused([&] { tpetra::export_matrix(Teuchos::RCP<CrsMatrix>()); }, "the matrix is null");
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

TEST(CrsExport, ARangeMapThatIsNotTheRowMapIsRefused) {
  if (processes() == 1) GTEST_SKIP() << "one process has one map of all rows";
  Bounds rows{0}, range{0};
  for (int p = 0; p < processes(); ++p) {
    rows.push_back(rows.back() + 2);
    range.push_back(range.back() + (p == 0 ? 3 : p == 1 ? 1 : 2));
  }
  const auto row_map = counted_map(rows);
  const auto matrix = Teuchos::rcp(new CrsMatrix(row_map, 1));
  const double one = 1;
  for (auto row = static_cast<GlobalOrdinal>(2 * rank()); row < 2 * rank() + 2; ++row)
    matrix->insertGlobalValues(row, 1, &one, &row);
  matrix->fillComplete(row_map, counted_map(range));
  on::expect_refused([&] { tpetra::export_matrix(matrix); }, "the row map of the matrix is not its range map");
}

TEST(CrsExport, ContiguousMapsThatBeginElsewhereThanAt0AreNumberedFrom0) {
  const auto first = GlobalOrdinal{100}, n = static_cast<GlobalOrdinal>(3 * processes());
  const auto map = Teuchos::rcp(new const Map(static_cast<Tpetra::global_size_t>(n), 3, first, world()));
  const auto matrix = Teuchos::rcp(new CrsMatrix(map, 2));
  for (auto row = static_cast<GlobalOrdinal>(first + 3 * rank()); row < first + 3 * rank() + 3; ++row) {
    const GlobalOrdinal columns[] = {row, first + (row - first + 2) % n};  // two, since n is at least 3
    const double values[] = {static_cast<double>(row), 0.5};
    matrix->insertGlobalValues(row, 2, values, columns);
  }
  matrix->fillComplete(map, map);
  const tpetra::ExportedMatrix exported = tpetra::export_matrix(matrix);
  const auto entries = entries_of(exported.rows);
  for (Index row = 3 * rank(); row < 3 * rank() + 3; ++row) {
    EXPECT_EQ(entries.at({row, row}), static_cast<double>(first + row));
    EXPECT_EQ(entries.at({row, (row + 2) % n}), 0.5);
  }
  const tpetra::ImportedMatrix again = tpetra::import_matrix(exported.rows, map, map);
  EXPECT_EQ(entries_of(again.rows), entries);
  EXPECT_EQ(again.matrix->getColMap()->getMinAllGlobalIndex(), first);
  EXPECT_EQ(again.matrix->getColMap()->getMaxAllGlobalIndex(), first + n - 1);
}
