#include "crs_case.hpp"

#include <set>

using namespace sparse_test;

namespace {

struct Maps {
  Names row_names, column_names;
  Teuchos::RCP<const Map> rows, domain;
};

Maps random_maps(const Case& of, Random& random) {
  Maps made;
  made.row_names = shuffled(of.rows.back(), random);
  made.rows = named_map(of.rows, made.row_names);
  if (of.rows == of.columns) {
    made.column_names = made.row_names;
    made.domain = made.rows;
  } else {
    made.column_names = shuffled(of.columns.back(), random);
    made.domain = named_map(of.columns, made.column_names);
  }
  return made;
}

// The column map has all ids of the domain map, then the others ascending by number.
void expect_order(const CrsMatrix& matrix, const Case& of, const Names& names) {
  std::set<Index> others;
  for (const auto& [at, value] : own_entries(of))
    if (at.second < of.column_begin() || at.second >= of.column_end()) others.insert(at.second);
  std::vector<GlobalOrdinal> expected;
  for (Index j = of.column_begin(); j < of.column_end(); ++j) expected.push_back(names[static_cast<std::size_t>(j)]);
  for (const Index j : others) expected.push_back(names[static_cast<std::size_t>(j)]);
  const auto ids = tpetra::compat::local_ids(*matrix.getColMap());
  EXPECT_EQ((std::vector<GlobalOrdinal>(ids.begin(), ids.end())), expected);
}

}  // namespace

TEST(CrsImport, HasThePatternAndTheValuesOnAnyMaps) {
  Random random(61);
  for (int i = 0; i < effort::of(200, 50); ++i) {
    const Case of = random_case(random, i % 2 == 0);
    const Memory memory(of, random, static_cast<std::size_t>(random.between(1, 3)), random.one_in(2));
    const Maps maps = random_maps(of, random);
    const tpetra::ImportedMatrix made = tpetra::import_matrix(memory.rows, maps.rows, maps.domain);
    EXPECT_TRUE(made.matrix->isFillComplete());
    EXPECT_EQ(entries_of(*made.matrix, of, maps.row_names, maps.column_names), own_entries(of));
    expect_product(*made.matrix, of);
    expect_order(*made.matrix, of, maps.column_names);
    EXPECT_EQ(made.receipt.bytes_copied, static_cast<Index>(8 * own_entries(of).size()));

    const tpetra::ImportedMatrix plain = tpetra::import_matrix(memory.rows, MPI_COMM_WORLD);
    EXPECT_EQ(entries_of(*plain.matrix, of, counted(of.rows.back()), counted(of.columns.back())), own_entries(of));
    expect_product(*plain.matrix, of);
    if (HasFailure()) FAIL() << "case " << i;
  }
}

// As if Tpetra had made it: the same norm, row by row the same entries, and the same answer to its questions.
TEST(CrsImport, IsLikeAMatrixThatTpetraMade) {
  Random random(62);
  for (int i = 0; i < 30; ++i) {
    const Case of = random_case(random, true);
    const Memory memory(of, random, 1, false);
    const auto made = tpetra::import_matrix(memory.rows, MPI_COMM_WORLD).matrix;
    const auto theirs =
        make_matrix(of, counted_map(of.rows), counted_map(of.rows), counted(of.rows.back()), counted(of.rows.back()));
    EXPECT_EQ(made->getGlobalNumEntries(), theirs->getGlobalNumEntries());
    EXPECT_EQ(made->getGlobalMaxNumRowEntries(), theirs->getGlobalMaxNumRowEntries());
    EXPECT_NEAR(made->getFrobeniusNorm(), theirs->getFrobeniusNorm(), 1e-9);
    EXPECT_TRUE(made->getRowMap()->isSameAs(*theirs->getRowMap()));
    Vector a(made->getRowMap()), b(made->getRowMap());
    made->getLocalDiagCopy(a);
    theirs->getLocalDiagCopy(b);
    b.update(-1, a, 1);
    EXPECT_EQ(b.normInf(), 0);
  }
}

TEST(CrsUpdate, KeepsTheGraphAndTheMemory) {
  Random random(63);
  for (int i = 0; i < effort::of(150, 40); ++i) {
    const Case before = random_case(random, i % 2 == 0), after = with_new_values(before, random);
    const Maps maps = random_maps(before, random);
    const auto matrix = make_matrix(before, maps.rows, maps.domain, maps.row_names, maps.column_names);
    const auto graph = matrix->getCrsGraph();
    const double* const values = values_of(*matrix);
    const Memory memory(after, random, 2, random.one_in(2));
    const tridap::Receipt receipt = tpetra::update_values(matrix, memory.rows);
    EXPECT_EQ(matrix->getCrsGraph().get(), graph.get());
    EXPECT_EQ(values_of(*matrix), values);
    EXPECT_EQ(entries_of(*matrix, after, maps.row_names, maps.column_names), own_entries(after));
    expect_product(*matrix, after);
    EXPECT_EQ(receipt.bytes_copied, static_cast<Index>(8 * own_entries(after).size()));
    if (HasFailure()) FAIL() << "case " << i;
  }
}

TEST(CrsUpdate, RowsThatWereKeptSaveAskingTpetra) {
  Random random(64);
  const Case of = random_case(random, true);
  const Memory memory(of, random, 1, false);
  const tpetra::ImportedMatrix made = tpetra::import_matrix(memory.rows, MPI_COMM_WORLD);
  for (int i = 0; i < 5; ++i) {
    const Case after = with_new_values(of, random);
    const Memory values(after, random, 1, true);
    tridap::update_values(values.rows, made.rows, MPI_COMM_WORLD);
    expect_product(*made.matrix, after);
  }
}

TEST(CrsImport, OneBadProcessFailsEveryProcess) {
  Random random(65);
  Case of = square_case(2);
  for (Index i = 0; i < of.rows.back(); ++i) of.entries[{i, i}] = 1;
  Case longer = of;
  for (std::size_t p = 0; p < longer.rows.size(); ++p) longer.rows[p] = 3 * static_cast<Index>(p);
  for (int bad = 0; bad < processes(); ++bad) {
    const auto refused = [&](const std::string& says, const auto& change) {
      Memory from(of, random, 1, false);
      if (rank() == bad) change(from.rows);
      on::expect_refused([&] { tpetra::import_matrix(from.rows, MPI_COMM_WORLD); }, says);
      on::expect_refused([&] { tpetra::import_matrix(from.rows, counted_map(of.rows), counted_map(of.rows)); }, says);
    };
    refused("the values are float32", [](SparseRows& rows) { rows.type = tridap::element_type<float>(); });
    refused("must be those of this process", [](SparseRows& rows) { rows.process += 1; });
    refused("row starts", [](SparseRows& rows) { --rows.parts[0].row_starts.count; });
  }
  const Memory memory(of, random, 1, false);
  const auto rows = counted_map(of.rows), wrong = counted_map(longer.rows);
  on::expect_refused([&] { tpetra::import_matrix(memory.rows, wrong, rows); }, "the map of the rows has 3 ids");
  on::expect_refused([&] { tpetra::import_matrix(memory.rows, rows, wrong); }, "the map of the columns has 3 ids");
  on::expect_refused([&] { tpetra::import_matrix(memory.rows, Teuchos::null, rows); }, "the map of the rows is null");
  on::expect_refused([&] { tpetra::import_matrix(memory.rows, rows, Teuchos::null); }, "columns is null");
}
