#include "sparse_case.hpp"

using namespace sparse_test;

TEST(UpdateValues, CopiesWhateverThePartsAndTheOrder) {
  Random random(11);
  for (int i = 0; i < effort::of(300, 80); ++i) {
    const Case before = random_case(random), after = with_new_values(before, random);
    const auto parts = [&] { return static_cast<std::size_t>(random.between(1, 3)); };
    const Memory to(before, random, parts(), random.one_in(2)), from(after, random, parts(), random.one_in(2));
    EXPECT_EQ(to.values(), own_entries(before));
    const tridap::Receipt receipt = tridap::update_values(from.rows, to.rows, MPI_COMM_WORLD);
    EXPECT_EQ(to.values(), own_entries(after));
    EXPECT_EQ(receipt.bytes_copied, static_cast<Index>(8 * own_entries(after).size()));
    EXPECT_FALSE(receipt.shared);
    if (HasFailure()) FAIL() << "case " << i;
  }
}

TEST(UpdateValues, AnEntryMoreOrLessIsRefusedEverywhereAndChangesNothing) {
  Random random(12);
  int refused = 0;
  for (int i = 0; i < effort::of(200, 60); ++i) {
    const Case before = random_case(random);
    if (before.rows.back() == 0 || before.columns.back() == 0) continue;
    Case after = with_new_values(before, random);
    const std::pair<Index, Index> at{random.between(0, before.rows.back() - 1),
                                     random.between(0, before.columns.back() - 1)};
    const bool removed = after.entries.erase(at) == 1;
    if (!removed) after.entries[at] = 1;
    const Memory to(before, random, 2, i % 2 == 0), from(after, random, 1, i % 3 == 0);
    const std::string text = on::same_error_text([&] { tridap::update_values(from.rows, to.rows, MPI_COMM_WORLD); });
    expect_says(text, "row " + std::to_string(at.first) + " has " + (removed ? "no" : "a new") + " entry in column " +
                          std::to_string(at.second));
    EXPECT_EQ(to.values(), own_entries(before));
    ++refused;
    if (HasFailure()) FAIL() << "case " << i;
  }
  EXPECT_GT(refused, 20);
}

TEST(UpdateValues, OneBadProcessFailsEveryProcess) {
  Random random(13);
  for (int bad = 0; bad < processes(); ++bad) {
    Case of = square_case(2);
    for (Index i = 0; i < of.rows.back(); ++i) of.entries[{i, i}] = 1;
    const auto refused = [&](const std::string& says, const auto& change) {
      Memory from(of, random, 1, false), to(of, random, 1, false);
      if (rank() == bad) change(from.rows, to.rows);
      on::expect_refused([&] { tridap::update_values(from.rows, to.rows, MPI_COMM_WORLD); }, says);
      if (rank() != bad) {
        EXPECT_EQ(to.values(), own_entries(of));
      }
    };
    refused("the values of the matrix are read-only", [](SparseRows&, SparseRows& to) { to.read_only = true; });
    refused("the new values are float32",
            [](SparseRows& from, SparseRows&) { from.type = tridap::element_type<float>(); });
    refused("must be those of this process", [](SparseRows& from, SparseRows&) { from.process += 1; });
    refused("bounds of the rows", [](SparseRows& from, SparseRows&) { from.row_bounds.push_back(99); });
    refused("as many as the matrix has", [](SparseRows& from, SparseRows&) { from.column_bounds.back() += 1; });
    refused("values are at a null address", [](SparseRows&, SparseRows& to) { to.parts[0].values = nullptr; });
    refused("row starts", [](SparseRows& from, SparseRows&) { --from.parts[0].row_starts.count; });
    refused("at most the number of columns", [](SparseRows& from, SparseRows&) { --from.parts[0].columns.count; });
    refused("integers of 2 bytes", [](SparseRows& from, SparseRows&) { from.parts[0].columns.bytes = 2; });
  }
}

TEST(UpdateValues, AnotherDistributionIsNamed) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  Random random(14);
  Case of = square_case(2);
  Case other = of;
  ++other.rows[1];
  const Memory to(of, random, 1, false), from(other, random, 1, false);
  on::expect_refused([&] { tridap::update_values(from.rows, to.rows, MPI_COMM_WORLD); },
                     "another distribution of the rows");
}

TEST(GatherBounds, AddUpWhatEachProcessGives) {
  Bounds expected{0};
  for (int p = 0; p < processes(); ++p) expected.push_back(expected.back() + p % 3);
  EXPECT_EQ(tridap::gather_bounds(rank() % 3, MPI_COMM_WORLD), expected);
}
