#include "dense_support.hpp"

// solve() against Gaussian elimination on one process.
namespace {

using namespace dense_test;

template <class T>
class ScalapackSolve : public Dense<T> {};
TYPED_TEST_SUITE(ScalapackSolve, Scalars);

// With the largest element of a column as its pivot.
template <class T>
Whole<T> eliminate(Whole<T> a, Whole<T> b) {
  for (Index k = 0; k < a.n; ++k) {
    Index pivot = k;
    for (Index i = k + 1; i < a.n; ++i)
      if (std::abs(a.at(i, k)) > std::abs(a.at(pivot, k))) pivot = i;
    for (Index j = 0; j < a.n; ++j) std::swap(a.at(k, j), a.at(pivot, j));
    for (Index j = 0; j < b.n; ++j) std::swap(b.at(k, j), b.at(pivot, j));
    for (Index i = 0; i < a.n; ++i) {
      if (i == k) continue;
      const T factor = a.at(i, k) / a.at(k, k);
      for (Index j = k; j < a.n; ++j) a.at(i, j) -= factor * a.at(k, j);
      for (Index j = 0; j < b.n; ++j) b.at(i, j) -= factor * b.at(k, j);
    }
  }
  for (Index i = 0; i < a.n; ++i)
    for (Index j = 0; j < b.n; ++j) b.at(i, j) /= a.at(i, i);
  return b;
}

// Random elements, and a diagonal that makes it well-conditioned but for the need of pivots: it is moved.
template <class T>
Whole<T> some_matrix(Random& random, Index n) {
  Whole<T> a = random_matrix<T>(random, n, n);
  for (Index i = 0; i < n; ++i) a.at(i, (i + 1) % n) += T(2 + static_cast<RealOf<T>>(n));
  return a;
}

template <class T>
void expect_solution(const Whole<T>& a, const Whole<T>& b, const DistArray& x) {
  const Whole<T> found = gathered<T>(x);
  EXPECT_LE(largest_difference(found, eliminate(a, b)), tolerance<T>(a.n));
  EXPECT_LE(largest_difference(product(a, found), b), tolerance<T>(a.n) * static_cast<double>(2 + a.n));
}

TYPED_TEST(ScalapackSolve, WhatScalapackCanUseStaysWhereItIs) {
  using T = TypeParam;
  Random random(11);
  for (int round = 0; round < effort::of(40, 8); ++round) {
    const Index n = 1 + pick(random, 25), nrhs = 1 + pick(random, 4);
    const Distribution of_a = some_squares(random, n, n, true);
    const AxisSpec rows = tridap::cyclic(std::get<tridap::CyclicKind>(of_a.axis(0).kind()).block_size(),
                                         std::get<tridap::CyclicKind>(of_a.axis(0).kind()).first());
    const Distribution of_b =
        Distribution::make({n, nrhs}, {rows, tridap::cyclic(1 + pick(random, 3))}, of_a.proc_grid_shape());
    const Whole<T> a = some_matrix<T>(random, n), b = random_matrix<T>(random, n, nrhs);
    const Held<T> held_a = part_of(a, of_a, some_lines(random), pick(random, 3));
    const Held<T> held_b = part_of(b, of_b, some_lines(random), pick(random, 3));
    const sl::Solved solved = sl::solve(held_a.array, held_b.array, MPI_COMM_WORLD);
    expect_solution(a, b, solved.x);
    EXPECT_TRUE(held_a.is_unchanged() && held_b.is_unchanged());
    EXPECT_FALSE(solved.receipt.shared);
    const auto elements = element_count(held_a.array.buffer) + element_count(held_b.array.buffer);
    EXPECT_EQ(solved.receipt.bytes_copied, elements * static_cast<Index>(sizeof(T)));
  }
}

TYPED_TEST(ScalapackSolve, OverwritesInPlaceAndCopiesNothing) {
  using T = TypeParam;
  Random random(12);
  DenseOptions over;
  over.overwrite_a = over.overwrite_b = true;
  for (int round = 0; round < effort::of(30, 6); ++round) {
    const Index n = 1 + pick(random, 25), nrhs = 1 + pick(random, 4), length = 1 + pick(random, 5);
    const auto grid = some_process_grid(random);
    const auto cyclic = tridap::cyclic(length);
    const Distribution of_a = Distribution::make({n, n}, {cyclic, cyclic}, grid);
    const Distribution of_b = Distribution::make({n, nrhs}, {cyclic, cyclic}, grid);
    const Whole<T> a = some_matrix<T>(random, n), b = random_matrix<T>(random, n, nrhs);
    Held<T> held_a = part_of(a, of_a, Lines::columns, pick(random, 3));
    Held<T> held_b = part_of(b, of_b, Lines::columns, pick(random, 3));
    const sl::Solved solved = sl::solve(held_a.array, held_b.array, MPI_COMM_WORLD, over);
    expect_solution(a, b, solved.x);
    EXPECT_EQ(solved.x.buffer.data, held_b.array.buffer.data);
    EXPECT_TRUE(solved.receipt.shared && solved.receipt.same_address);
    EXPECT_EQ(solved.receipt.bytes_copied, 0);
    for (std::size_t k = 0; k < held_a.memory.size(); ++k)  // nothing was written between the columns
      EXPECT_LE(std::isnan(std::abs(held_a.before[k])), std::isnan(std::abs(held_a.memory[k])));
  }
}

// A row-major matrix is the transpose of a column-major one, which ScaLAPACK solves by trans = 'T'.
TYPED_TEST(ScalapackSolve, UsesRowMajorMemoryAsTheTranspose) {
  using T = TypeParam;
  Random random(13);
  DenseOptions over;
  over.overwrite_a = over.overwrite_b = true;
  const Index all = processes();
  for (int round = 0; round < effort::of(20, 5); ++round) {
    const Index n = 2 + pick(random, 25), length = 1 + pick(random, 4);
    const Distribution of_a = Distribution::make({n, n}, {tridap::whole(), tridap::cyclic(length)}, {1, all});
    const Distribution of_b = Distribution::make({n}, {tridap::cyclic(length)}, {all});
    const Whole<T> a = some_matrix<T>(random, n), b = random_matrix<T>(random, n, 1);
    const Held<T> held_a = part_of(a, of_a, Lines::rows, pick(random, 3)), held_b = part_of(b, of_b, Lines::columns);
    const sl::Solved solved = sl::solve(held_a.array, held_b.array, MPI_COMM_WORLD, over);
    EXPECT_EQ(solved.receipt.bytes_copied, 0);
    EXPECT_EQ(solved.x.ndim(), 1);
    expect_solution(a, b, solved.x);
  }
}

// A matrix that could be used where it is.
TYPED_TEST(ScalapackSolve, CopyAlwaysMovesEachMatrix) {
  using T = TypeParam;
  Random random(19);
  const Index n = 4 * processes();
  const Distribution of_a = Distribution::make({n, n}, {tridap::cyclic(2), tridap::whole()}, {processes(), 1});
  const Distribution of_b = Distribution::make({n}, {tridap::cyclic(2)}, {processes()});
  const Whole<T> a = some_matrix<T>(random, n), b = random_matrix<T>(random, n, 1);
  for (const Copy copy : {Copy::never, Copy::always}) {
    DenseOptions over;
    over.overwrite_a = over.overwrite_b = true;
    over.copy = copy;
    const Held<T> held_a = part_of(a, of_a, Lines::columns), held_b = part_of(b, of_b, Lines::columns);
    const sl::Solved solved = sl::solve(held_a.array, held_b.array, MPI_COMM_WORLD, over);
    const Index bytes_of_a = 4 * n * static_cast<Index>(sizeof(T));  // of this process
    if (copy == Copy::never)
      EXPECT_EQ(solved.receipt.bytes_copied, 0);
    else
      EXPECT_GE(solved.receipt.bytes_copied, bytes_of_a);
    expect_solution(a, b, solved.x);
  }
}

// In memory that is used as the transpose, the processes of a matrix have another order than those of b.
TYPED_TEST(ScalapackSolve, MovesRightHandSidesToTheOrderOfATransposedMatrix) {
  using T = TypeParam;
  if (processes() != 4) GTEST_SKIP() << "needs 4 processes, as a grid of 2 x 2";
  Random random(20);
  const Distribution of_a = Distribution::make({12, 12}, {tridap::cyclic(2), tridap::cyclic(2)}, {2, 2});
  const Distribution of_b = Distribution::make({12, 8}, {tridap::cyclic(2), tridap::cyclic(2)}, {2, 2});
  const Whole<T> a = some_matrix<T>(random, 12), b = random_matrix<T>(random, 12, 8);
  DenseOptions over;
  over.overwrite_a = over.overwrite_b = true;
  const Held<T> held_a = part_of(a, of_a, Lines::rows), held_b = part_of(b, of_b, Lines::columns);
  const std::string said = thrown([&] { sl::solve(held_a.array, held_b.array, MPI_COMM_WORLD, over); });
  on::expect_says(said, "with the processes down the columns");
  over.copy = Copy::if_needed;
  expect_solution(a, b, sl::solve(held_a.array, held_b.array, MPI_COMM_WORLD, over).x);
}

TYPED_TEST(ScalapackSolve, MovesAnyDistributionAndGivesItBack) {
  using T = TypeParam;
  Random random(14);
  for (int round = 0; round < effort::of(60, 10); ++round) {
    DenseOptions options;
    options.copy = pick(random, 3) == 0 ? Copy::always : Copy::if_needed;
    options.overwrite_a = pick(random, 2) == 0;
    options.overwrite_b = pick(random, 2) == 0;
    const Index n = 1 + pick(random, 20), nrhs = 1 + pick(random, 4);
    const Distribution of_a = some_distribution(random, n, n);
    const bool vector = pick(random, 2) == 0;
    const Distribution of_b = vector ? Distribution::make({n}, {some_axis(random, n, processes())}, {processes()})
                                     : some_distribution(random, n, nrhs);
    const Whole<T> a = some_matrix<T>(random, n), b = random_matrix<T>(random, n, vector ? 1 : nrhs);
    const Held<T> held_a = part_of(a, of_a, some_lines(random), pick(random, 3));
    const Held<T> held_b = part_of(b, of_b, some_lines(random), pick(random, 3));
    const sl::Solved solved = sl::solve(held_a.array, held_b.array, MPI_COMM_WORLD, options);
    expect_solution(a, b, solved.x);
    EXPECT_EQ(tridap::mpi::gather_distribution(solved.x, MPI_COMM_WORLD).shape(), of_b.shape());
    EXPECT_TRUE(options.overwrite_a || held_a.is_unchanged());
    EXPECT_TRUE(options.overwrite_b || held_b.is_unchanged());
    EXPECT_EQ(solved.receipt.shared, options.overwrite_b);
    EXPECT_EQ(options.overwrite_b, solved.x.buffer.data == held_b.array.buffer.data);
    for (Index i = 0; i < of_b.axis(0).size(); ++i)  // the owners are those of b
      ASSERT_EQ(tridap::mpi::gather_distribution(solved.x, MPI_COMM_WORLD).axis(0).owners(i), of_b.axis(0).owners(i));
  }
}

TYPED_TEST(ScalapackSolve, DoesNotReadPaddingAndFillsIt) {
  using T = TypeParam;
  Random random(15);
  const Index n = 4 * processes();
  DenseOptions options;
  options.copy = Copy::if_needed;
  const auto padded =
      Distribution::make({n, n}, {tridap::BlockSpec{{}, {}, 1, {0, 0}, false}, tridap::whole()}, {processes(), 1});
  const auto line = Distribution::make({n}, {tridap::BlockSpec{{}, {}, 1, {0, 0}, false}}, {processes()});
  const Whole<T> a = some_matrix<T>(random, n), b = random_matrix<T>(random, n, 1);
  const Held<T> held_a = part_of(a, padded, Lines::rows), held_b = part_of(b, line, Lines::columns);
  const sl::Solved solved = sl::solve(held_a.array, held_b.array, MPI_COMM_WORLD, options);
  expect_solution(a, b, solved.x);
  const Whole<T> expected = eliminate(a, b);
  for (Index i = 0; i < solved.x.buffer.shape[0]; ++i) {  // its padding has the values of its neighbours
    const Index global = line.global_index(rank_here(), {i})[0];
    EXPECT_LE(std::abs(static_cast<const T*>(solved.x.buffer.data)[i] - expected.at(global, 0)), tolerance<T>(n));
  }
}

// A grid down the columns, over some of the processes.
TYPED_TEST(ScalapackSolve, WorksOnTheProcessesOfAnyGrid) {
  using T = TypeParam;
  Random random(18);
  for (int round = 0; round < effort::of(20, 5); ++round) {
    const ProcessGrid grid = some_grid(random);
    const int n = 1 + pick(random, 20), nb = 1 + pick(random, 5);
    const Whole<T> a = some_matrix<T>(random, n), b = random_matrix<T>(random, n, 1);
    if (!grid.place()) continue;
    const std::vector<Index> shape{grid.nprow(), grid.npcol()};
    const auto of_a = Distribution::make({n, n}, {tridap::cyclic(nb), tridap::cyclic(nb)}, shape);
    const auto of_b = Distribution::make({n, 1}, {tridap::cyclic(nb), tridap::cyclic(nb)}, shape);
    const Index process = of_a.process({(*grid.place())[0], (*grid.place())[1]});
    const Held<T> held_a = part_of(a, of_a, Lines::columns, 0, process);
    const Held<T> held_b = part_of(b, of_b, Lines::columns, 0, process);
    const sl::Solved solved = sl::solve(held_a.array, held_b.array, grid.row_major_comm());
    const Whole<T> found = gathered<T>(solved.x, grid.row_major_comm(), process);
    EXPECT_LE(largest_difference(found, eliminate(a, b)), tolerance<T>(n));
  }
}

TYPED_TEST(ScalapackSolve, OfNothingIsNothing) {
  using T = TypeParam;
  const auto squares = sl::squares({0, 0}, processes()), tall = sl::squares({5, 0}, processes());
  const Whole<T> nothing(0, 0), no_sides(5, 0);
  Random random(16);
  const Whole<T> five = some_matrix<T>(random, 5);
  const Held<T> a = part_of(nothing, squares, Lines::columns), b = part_of(nothing, squares, Lines::columns);
  EXPECT_EQ(gathered<T>(sl::solve(a.array, b.array, MPI_COMM_WORLD).x).m, 0);
  const Held<T> five_a = part_of(five, sl::squares({5, 5}, processes()), Lines::columns);
  const Held<T> none = part_of(no_sides, tall, Lines::columns);
  EXPECT_EQ(gathered<T>(sl::solve(five_a.array, none.array, MPI_COMM_WORLD).x).n, 0);
}

TYPED_TEST(ScalapackSolve, OfASingularMatrixNamesThePivot) {
  using T = TypeParam;
  Random random(17);
  const Index n = 9;
  Whole<T> a = some_matrix<T>(random, n);
  for (Index j = 0; j < n; ++j) a.at(4, j) = T(0);  // row 4, and so one pivot is exactly 0
  for (Index i = 0; i < n; ++i) a.at(i, 5) = T(0);
  const auto of_a = sl::squares({n, n}, processes());
  const Held<T> held_a = part_of(a, of_a, Lines::columns), held_b = part_of(a, of_a, Lines::columns);
  for (int again = 0; again < 3; ++again) {  // a failure leaves no grid behind
    const std::string said = thrown([&] { sl::solve(held_a.array, held_b.array, MPI_COMM_WORLD); });
    EXPECT_TRUE(same_everywhere(said));
    on::expect_says(said, "GETRF ended with INFO = ");
    on::expect_says(said, "(counted from 0) is exactly 0");
  }
}

TYPED_TEST(ScalapackSolve, ThePivotIsCountedFrom0) {
  using T = TypeParam;
  const Index n = 5;
  Whole<T> a(n, n);
  for (Index i = 0; i < n; ++i) a.at(i, i) = T(i == 3 ? 0 : 1);
  const Held<T> held = part_of(a, sl::squares({n, n}, processes()), Lines::columns);
  const std::string said = thrown([&] { sl::solve(held.array, held.array, MPI_COMM_WORLD); });
  on::expect_says(said, "GETRF ended with INFO = 4: the pivot in row 3 (counted from 0) is exactly 0");
}

}  // namespace
