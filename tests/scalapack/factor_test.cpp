#include "dense_support.hpp"

// cholesky() and qr(): the factors are what they must be, and their product is the matrix.
namespace {

using namespace dense_test;

template <class T>
class ScalapackFactor : public Dense<T> {};
TYPED_TEST_SUITE(ScalapackFactor, Scalars);

// a^H a, and a diagonal that makes it well-conditioned.
template <class T>
Whole<T> definite_matrix(Random& random, Index n) {
  const Whole<T> any = random_matrix<T>(random, n, n);
  Whole<T> made = product(adjoint(any), any);
  for (Index i = 0; i < n; ++i) made.at(i, i) = T(std::real(made.at(i, i)) + static_cast<RealOf<T>>(n));
  return made;
}

template <class T>
void expect_factor(const Whole<T>& a, const DistArray& factor, bool lower) {
  const Whole<T> found = gathered<T>(factor);
  for (Index i = 0; i < found.m; ++i) {
    EXPECT_GT(std::real(found.at(i, i)), 0);
    for (Index j = 0; j < i; ++j) EXPECT_EQ(lower ? found.at(j, i) : found.at(i, j), T(0));
  }
  const Whole<T> again = lower ? product(found, adjoint(found)) : product(adjoint(found), found);
  EXPECT_LE(largest_difference(again, a), tolerance<T>(a.n) * static_cast<double>(2 + a.n));
}

// The other triangle, which must not be used, has other values.
template <class T>
Whole<T> spoilt(Whole<T> a, bool lower) {
  for (Index i = 0; i < a.m; ++i)
    for (Index j = 0; j < i; ++j) (lower ? a.at(j, i) : a.at(i, j)) = T(12345);
  return a;
}

TYPED_TEST(ScalapackFactor, CholeskyInAnyMemory) {
  using T = TypeParam;
  Random random(21);
  for (int round = 0; round < effort::of(40, 8); ++round) {
    const Index n = 1 + pick(random, 25);
    const bool lower = pick(random, 2) == 0;
    const Whole<T> a = definite_matrix<T>(random, n);
    DenseOptions options;
    options.overwrite_a = pick(random, 2) == 0;
    const Lines lines = options.overwrite_a ? static_cast<Lines>(pick(random, 2)) : some_lines(random);
    const Held<T> held = part_of(spoilt(a, lower), some_squares(random, n, n, true), lines, pick(random, 3));
    const sl::Factor made = sl::cholesky(held.array, MPI_COMM_WORLD, lower, options);
    expect_factor(a, made.factor, lower);
    EXPECT_EQ(options.overwrite_a, made.factor.buffer.data == held.array.buffer.data);
    EXPECT_EQ(made.receipt.shared, options.overwrite_a);
    EXPECT_EQ(made.receipt.bytes_copied == 0, options.overwrite_a || element_count(held.array.buffer) == 0);
    EXPECT_TRUE(options.overwrite_a || held.is_unchanged());
  }
}

TYPED_TEST(ScalapackFactor, CholeskyOfAnyDistribution) {
  using T = TypeParam;
  Random random(22);
  for (int round = 0; round < effort::of(30, 6); ++round) {
    const Index n = 1 + pick(random, 20);
    const bool lower = pick(random, 2) == 0;
    const Whole<T> a = definite_matrix<T>(random, n);
    DenseOptions options;
    options.copy = pick(random, 3) == 0 ? Copy::always : Copy::if_needed;
    options.overwrite_a = pick(random, 2) == 0;
    const Held<T> held = part_of(spoilt(a, lower), some_distribution(random, n, n), some_lines(random));
    const sl::Factor made = sl::cholesky(held.array, MPI_COMM_WORLD, lower, options);
    expect_factor(a, made.factor, lower);
    EXPECT_EQ(options.overwrite_a, made.factor.buffer.data == held.array.buffer.data);
    EXPECT_TRUE(options.overwrite_a || held.is_unchanged());
  }
}

TYPED_TEST(ScalapackFactor, CholeskyOfAnIndefiniteMatrixNamesTheMinor) {
  using T = TypeParam;
  Random random(23);
  const Index n = 12;
  Whole<T> a = definite_matrix<T>(random, n);
  a.at(6, 6) = T(-1);
  const Held<T> held = part_of(a, sl::squares({n, n}, processes()), Lines::columns);
  const std::string said = thrown([&] { sl::cholesky(held.array, MPI_COMM_WORLD); });
  EXPECT_TRUE(same_everywhere(said));
  on::expect_says(said, "POTRF ended with INFO = 7: the leading minor of order 7 is not positive");
}

template <class T>
void expect_qr(const Whole<T>& a, const sl::Qr& made) {
  const Whole<T> q = gathered<T>(made.q), r = gathered<T>(made.r);
  const Index k = std::min(a.m, a.n);
  ASSERT_EQ(q.m, a.m);
  ASSERT_EQ(q.n, k);
  ASSERT_EQ(r.m, k);
  ASSERT_EQ(r.n, a.n);
  expect_orthonormal_columns(q);
  for (Index i = 0; i < k; ++i)
    for (Index j = 0; j < i; ++j) EXPECT_EQ(r.at(i, j), T(0));
  EXPECT_LE(largest_difference(product(q, r), a), tolerance<T>(a.m + a.n));
}

TYPED_TEST(ScalapackFactor, QrOfMatricesOfAnyShape) {
  using T = TypeParam;
  Random random(24);
  for (int round = 0; round < effort::of(50, 10); ++round) {
    const Index m = 1 + pick(random, 20), n = 1 + pick(random, 20);
    const Whole<T> a = random_matrix<T>(random, m, n);
    DenseOptions options;
    options.copy = static_cast<Copy>(pick(random, 3));
    options.overwrite_a = pick(random, 2) == 0;
    const auto grid = some_process_grid(random);
    const auto blocks = Distribution::make(
        {m, n}, {tridap::cyclic(1 + pick(random, 4), pick(random, static_cast<int>(grid[0]))), tridap::block()}, grid);
    const bool strict = options.copy == Copy::never;
    const Held<T> held = part_of(a, strict ? blocks : some_distribution(random, m, n),
                                 strict && options.overwrite_a ? Lines::columns : some_lines(random), pick(random, 3));
    const sl::Qr made = sl::qr(held.array, MPI_COMM_WORLD, options);
    expect_qr(a, made);
    const bool same_memory = made.q.buffer.data == held.array.buffer.data;
    EXPECT_TRUE(options.overwrite_a || held.is_unchanged());
    EXPECT_EQ(made.receipt.shared, same_memory);
    EXPECT_TRUE(options.overwrite_a || !same_memory);
    EXPECT_TRUE(same_memory || !strict || !options.overwrite_a);
  }
}

TYPED_TEST(ScalapackFactor, QrKeepsTheBlocksOfTheMatrix) {
  using T = TypeParam;
  Random random(25);
  const Index all = processes(), m = 5 * all, n = 3;
  const Whole<T> a = random_matrix<T>(random, m, n);
  const auto rows = Distribution::make({m, n}, {tridap::block(), tridap::whole()}, {all, 1});
  const Held<T> held = part_of(a, rows, Lines::rows);
  const sl::Qr made = sl::qr(held.array, MPI_COMM_WORLD);
  expect_qr(a, made);
  EXPECT_EQ(made.q.buffer.shape, (tridap::IndexList{5, n}));
  EXPECT_EQ(made.r.buffer.shape, (tridap::IndexList{rank_here() == 0 ? n : 0, n}));  // in blocks of 5 rows
}

TYPED_TEST(ScalapackFactor, OfNothingIsNothing) {
  using T = TypeParam;
  for (const auto& [m, n] : {std::pair<Index, Index>{0, 0}, {5, 0}, {0, 4}}) {
    const Held<T> held = part_of(Whole<T>(m, n), sl::squares({m, n}, processes()), Lines::columns);
    const sl::Qr made = sl::qr(held.array, MPI_COMM_WORLD);
    EXPECT_EQ(gathered<T>(made.q).m, m);
    EXPECT_EQ(gathered<T>(made.r).n, n);
    if (m != n) continue;
    EXPECT_EQ(gathered<T>(sl::cholesky(held.array, MPI_COMM_WORLD).factor).n, 0);
  }
}

}  // namespace
