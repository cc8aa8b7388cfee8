#include "sparse_case.hpp"
#include <tridap/sparse/sparse_pattern.hpp>

#include <set>

using namespace sparse_test;

TEST(SparsePattern, OwnColumnsComeFirstAndBothAscend) {
  Random random(5);
  for (int i = 0; i < 60; ++i) {
    const Case of = random_case(random);
    const Memory memory(of, random, static_cast<std::size_t>(random.between(1, 3)), i % 2 == 0);
    const tridap::SparsePattern pattern = tridap::pattern_of(memory.rows);
    std::set<Index> others;
    std::vector<Index> columns, starts{0}, own_counts;
    for (Index row = of.row_begin(); row < of.row_end(); ++row) {
      for (const bool own : {true, false})
        for (Index j = 0; j < of.columns.back(); ++j) {
          const bool is_own = of.column_begin() <= j && j < of.column_end();
          if (is_own != own || of.entries.count({row, j}) == 0) continue;
          columns.push_back(j);
          if (!own) others.insert(j);
        }
      own_counts.push_back(std::count_if(columns.begin() + starts.back(), columns.end(),
                                         [&](Index j) { return of.column_begin() <= j && j < of.column_end(); }));
      starts.push_back(static_cast<Index>(columns.size()));
    }
    EXPECT_EQ(pattern.columns, columns);
    EXPECT_EQ(pattern.row_starts, starts);
    EXPECT_EQ(pattern.own_counts, own_counts);
    EXPECT_EQ(pattern.others, std::vector<Index>(others.begin(), others.end()));
    EXPECT_EQ(memory.rows.entries(), static_cast<Index>(columns.size()));
  }
}

TEST(SparsePattern, AColumnTwiceAndAColumnThatDoesNotExistAreRefused) {
  const std::vector<Index> starts{0, 3};
  std::vector<Index> columns{1, 0, 1};
  std::vector<double> values{1, 2, 3};
  SparseRows rows;
  rows.row_bounds = {0, 1};
  rows.column_bounds = {0, 4};
  rows.type = tridap::element_type<double>();
  rows.parts.push_back({tridap::integers(starts.data(), 2), tridap::integers(columns.data(), 3), values.data()});
  const auto refused = [&] { return on::same_error_text([&] { tridap::pattern_of(rows); }); };
  expect_says(refused(), "row 0 has column 1 twice");
  columns = {0, 1, 4};
  expect_says(refused(), "row 0 has column 4");
  columns = {0, -1, 2};
  expect_says(refused(), "row 0 has column -1");
  columns = {3, 0, 2};
  EXPECT_EQ(refused(), "");
}
