#include "assignment.hpp"

#include <gtest/gtest.h>
#include <support/effort.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <set>

namespace {

using tridap::Index;
using tridap::redistribute::assign;
using tridap::redistribute::Assignment;
using tridap::redistribute::Worths;
using Matrix = std::vector<std::vector<Index>>;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Matrix matrix(Index rows, Index columns, const std::function<Index(Index, Index)>& worth) {
  Matrix out(at(rows), std::vector<Index>(at(columns)));
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) out[at(i)][at(j)] = worth(i, j);
  return out;
}

/// With `zeros`, what is worth nothing is listed too.
Worths worths(const Matrix& matrix, Index columns, bool zeros = false) {
  Worths out;
  out.columns = columns;
  for (const auto& row : matrix) {
    for (Index j = 0; j < columns; ++j)
      if (row[at(j)] > 0 || zeros) {
        out.column.push_back(j);
        out.worth.push_back(row[at(j)]);
      }
    out.begins.push_back(static_cast<Index>(out.column.size()));
  }
  return out;
}

/// The largest sum, found by trying every column for every row, and none.
Index best(const Matrix& matrix, std::size_t row, std::vector<bool>& taken) {
  if (row == matrix.size()) return 0;
  Index most = best(matrix, row + 1, taken);
  for (std::size_t j = 0; j < taken.size(); ++j) {
    if (taken[j]) continue;
    taken[j] = true;
    most = std::max(most, matrix[row][j] + best(matrix, row + 1, taken));
    taken[j] = false;
  }
  return most;
}

/// What an assignment is worth; each column at most once.
Index value(const Matrix& matrix, const Assignment& assignment) {
  EXPECT_EQ(assignment.column.size(), matrix.size());
  std::set<Index> taken;
  Index sum = 0;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const Index column = assignment.column[i];
    if (column < 0) continue;
    EXPECT_TRUE(taken.insert(column).second);
    sum += matrix[i].at(at(column));
  }
  return sum;
}

void expect_best(const Matrix& matrix, Index columns) {
  std::vector<bool> taken(at(columns), false);
  const Index most = best(matrix, 0, taken);
  for (const bool zeros : {false, true}) {
    const Assignment found = assign(worths(matrix, columns, zeros));
    EXPECT_EQ(value(matrix, found), most);
    EXPECT_EQ(found.value, most);
    EXPECT_EQ(found.bound, most);
    const Assignment hasty = assign(worths(matrix, columns, zeros), 0);
    EXPECT_EQ(value(matrix, hasty), hasty.value);
    EXPECT_LE(hasty.value, most);
    EXPECT_GE(hasty.bound, most);
  }
}

TEST(Assignment, EmptyAndZeroMatricesAreAssigned) {
  expect_best({}, 0);
  expect_best({}, 3);
  expect_best({{}, {}}, 0);
  expect_best({{0, 0}, {0, 0}, {0, 0}}, 2);
}

TEST(Assignment, ACycleOfThreeThatNoSwapOfTwoFinds) {
  const Matrix cycle = {{6, 7, 0}, {0, 6, 7}, {7, 0, 6}};  // 18 as it stands; each swap of two: 13
  const Assignment found = assign(worths(cycle, 3));
  EXPECT_EQ(found.column, (std::vector<Index>{1, 2, 0}));
  EXPECT_EQ(found.value, 21);
}

TEST(Assignment, EverySmallMatrixOfSmallNumbers) {
  for (Index code = 0; code < 19683; ++code) {  // 3 x 3 of 0, 1 and 2
    Index rest = code;
    const Matrix all = matrix(3, 3, [&](Index, Index) {
      const Index digit = rest % 3;
      rest /= 3;
      return digit;
    });
    expect_best(all, 3);
  }
}

TEST(Assignment, RandomOnesOfEveryShape) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round)
    for (const Index most : {2, 5, 1000000}) {
      const Index rows = random() % 7, columns = random() % 7, filled = 1 + random() % 4;
      expect_best(matrix(rows, columns,
                         [&](Index, Index) -> Index {
                           return random() % 4 < static_cast<unsigned>(filled) ? random() % static_cast<unsigned>(most)
                                                                               : 0;
                         }),
                  columns);
    }
}

TEST(Assignment, SevenToSeven) {
  std::mt19937 random(8);
  for (int round = 0; round < 20; ++round)
    expect_best(
        matrix(7, 7, [&](Index i, Index j) -> Index { return static_cast<Index>(random() % 9) + 10 * j + 3 * i; }), 7);
}

TEST(Assignment, NumbersAsLargeAsCanBe) {
  constexpr Index largest = std::numeric_limits<Index>::max();
  const Matrix one = {{largest - 1, 0, largest}, {0, 0, 0}, {0, 0, 0}};
  expect_best(one, 3);
  const Assignment found = assign(worths({{largest, largest - 1}, {largest, largest - 3}}, 2));  // the sum does not fit
  EXPECT_EQ(found.column, (std::vector<Index>{1, 0}));
  EXPECT_EQ(found.value, largest);
  EXPECT_EQ(found.bound, largest);
  std::mt19937_64 random(9);
  const Index share = largest / 5;
  for (int round = 0; round < 50; ++round)
    expect_best(
        matrix(5, 5, [&](Index, Index) { return static_cast<Index>(random() % static_cast<std::uint64_t>(share)); }),
        5);
}

TEST(Assignment, WhatIsLeftOutOfTheListsRaisesTheBound) {
  Worths lists = worths({{4, 0}, {4, 0}}, 2);
  lists.left_out = {3, 2};
  const Assignment found = assign(lists);
  EXPECT_EQ(found.value, 4);
  EXPECT_GE(found.bound, 7);  // 4 + 3, were the first row to get the second column
  lists.left_out = {0, 0};
  EXPECT_EQ(assign(lists).bound, 4);
}

/// The exact one's bound proves that it is the best: it is its value.
void expect_proven(const Matrix& all, double seconds) {
  const auto columns = static_cast<Index>(all.front().size());
  const Worths given = worths(all, columns);
  const effort::ComputingTime computing;
  const Assignment found = assign(given);
  EXPECT_LT(computing.seconds(), seconds);
  EXPECT_EQ(value(all, found), found.value);
  EXPECT_EQ(found.value, found.bound);
  for (const Index work : {Index{0}, given.begins.back(), 5 * given.begins.back()}) {
    const Assignment hasty = assign(given, work);
    EXPECT_EQ(value(all, hasty), hasty.value);
    EXPECT_LE(hasty.value, found.value);
    EXPECT_GE(hasty.bound, found.value);
  }
}

TEST(Assignment, LargeOnes) {
  const Index n = effort::of(1000, 150);
  std::mt19937 random(10);
  const auto any = [&](Index most) { return static_cast<Index>(random() % static_cast<unsigned>(most)); };
  expect_proven(matrix(n, n, [&](Index, Index) { return any(1000000); }), 20);
  expect_proven(matrix(n, n, [&](Index, Index) { return any(10); }), 20);
  expect_proven(matrix(n, n, [&](Index, Index) { return 5; }), 20);
  expect_proven(matrix(n, n, [&](Index i, Index j) { return (i + 1) * (j + 1); }), 40);
  expect_proven(matrix(n, n, [&](Index i, Index j) { return i + j + any(3); }), 40);
  expect_proven(matrix(n - 9, n, [&](Index i, Index j) { return 1 + i + j; }), 40);
  expect_proven(matrix(n, n / 2, [&](Index, Index) { return any(1000); }), 20);
  expect_proven(matrix(n, n, [&](Index i, Index j) { return i / 32 == j * 7 % n / 32 ? 100 + any(50) : 0; }), 20);
  expect_proven(matrix(n, n, [&](Index, Index) { return any(n) < 4 ? any(1000000) : 0; }), 20);
}

TEST(Assignment, AHiddenOptimumOf300RowsIsFound) {
  // Prices and profits first: no sum exceeds theirs, and what stands on a hidden permutation reaches it.
  std::mt19937 random(11);
  const Index n = 300;
  std::vector<Index> hidden(at(n)), price(at(n)), profit(at(n));
  std::iota(hidden.begin(), hidden.end(), Index{0});
  std::shuffle(hidden.begin(), hidden.end(), random);
  Index sum = 0;
  for (Index i = 0; i < n; ++i) sum += (price[at(i)] = random() % 1000) + (profit[at(i)] = random() % 1000);
  const Matrix all = matrix(n, n, [&](Index i, Index j) -> Index {
    const Index together = profit[at(i)] + price[at(j)];
    return hidden[at(i)] == j ? together : std::max<Index>(0, together - 1 - static_cast<Index>(random() % 300));
  });
  const Assignment found = assign(worths(all, n));
  EXPECT_EQ(found.value, sum);
  EXPECT_EQ(found.column, hidden);
}

TEST(Assignment, AuctionOfManyIsNearItsBound) {
  std::mt19937 random(12);
  Worths lists;
  lists.columns = 20000;
  for (Index i = 0; i < lists.columns; ++i) {
    std::set<Index> columns;
    while (columns.size() < 4) columns.insert(random() % static_cast<unsigned>(lists.columns));
    for (const Index column : columns) {
      lists.column.push_back(column);
      lists.worth.push_back(1000 + static_cast<Index>(random() % 100000));
    }
    lists.begins.push_back(static_cast<Index>(lists.column.size()));
  }
  const Assignment exact = assign(lists);
  EXPECT_EQ(exact.value, exact.bound);
  for (const Index looks : {0, 1, 2, 3, 4}) {  // at each entry
    const Assignment hasty = assign(lists, looks * lists.begins.back());
    EXPECT_LE(hasty.value, exact.value);
    EXPECT_GE(hasty.bound, exact.value);
    EXPECT_GT(static_cast<double>(hasty.value), (looks < 2 ? 0.7 : 0.95) * static_cast<double>(hasty.bound));
  }
}

}  // namespace
