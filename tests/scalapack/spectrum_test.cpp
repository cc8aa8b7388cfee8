#include "dense_support.hpp"

// eigh() and svd(): the vectors are orthonormal, and with the values they make the matrix.
namespace {

using namespace dense_test;

template <class T>
class ScalapackSpectrum : public Dense<T> {};
TYPED_TEST_SUITE(ScalapackSpectrum, Scalars);

template <class T>
Whole<T> hermitian_matrix(Random& random, Index n) {
  Whole<T> made = random_matrix<T>(random, n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) made.at(i, j) = i == j ? T(std::real(made.at(i, i))) : conjugate(made.at(j, i));
  return made;
}

template <class T>
Whole<T> with_columns_scaled(Whole<T> a, const std::vector<double>& values) {
  for (Index i = 0; i < a.m; ++i)
    for (Index j = 0; j < a.n; ++j) a.at(i, j) *= static_cast<RealOf<T>>(values[static_cast<std::size_t>(j)]);
  return a;
}

bool same_everywhere(const std::vector<double>& values) {
  std::vector<double> least = values, most = values;
  MPI_Allreduce(MPI_IN_PLACE, least.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, most.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return least == most;
}

template <class T>
void expect_eigen(const Whole<T>& a, const sl::Eigen& made) {
  const Whole<T> v = gathered<T>(made.vectors);
  ASSERT_EQ(static_cast<Index>(made.values.size()), a.n);
  EXPECT_TRUE(same_everywhere(made.values));
  EXPECT_TRUE(std::is_sorted(made.values.begin(), made.values.end()));
  expect_orthonormal_columns(v);
  EXPECT_LE(largest_difference(product(a, v), with_columns_scaled(v, made.values)), tolerance<T>(a.n));
}

TYPED_TEST(ScalapackSpectrum, EigenvaluesOfAnyMatrix) {
  using T = TypeParam;
  Random random(31);
  for (int round = 0; round < effort::of(40, 8); ++round) {
    const Index n = 1 + pick(random, 20);
    const bool lower = pick(random, 2) == 0;
    const Whole<T> a = hermitian_matrix<T>(random, n);
    Whole<T> half = a;  // the other triangle is not used
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j) (lower ? half.at(j, i) : half.at(i, j)) = T(777);
    DenseOptions options;
    options.copy = static_cast<Copy>(pick(random, 3));
    options.overwrite_a = pick(random, 2) == 0;
    const bool strict = options.copy == Copy::never;
    const Held<T> held = part_of(half, strict ? some_squares(random, n, n, false) : some_distribution(random, n, n),
                                 strict && options.overwrite_a ? Lines::columns : some_lines(random), pick(random, 3));
    const sl::Eigen made = sl::eigh(held.array, MPI_COMM_WORLD, lower, options);
    expect_eigen(a, made);
    EXPECT_TRUE(options.overwrite_a || held.is_unchanged());
    if (strict) {
      EXPECT_EQ(made.receipt.bytes_copied == 0, options.overwrite_a || element_count(held.array.buffer) == 0);
    }
  }
}

template <class T>
void expect_svd(const Whole<T>& a, const sl::Svd& made) {
  const Index k = std::min(a.m, a.n);
  const Whole<T> u = gathered<T>(made.u), vh = gathered<T>(made.vh);
  ASSERT_EQ(static_cast<Index>(made.values.size()), k);
  ASSERT_EQ(u.m, a.m);
  ASSERT_EQ(u.n, k);
  ASSERT_EQ(vh.m, k);
  ASSERT_EQ(vh.n, a.n);
  EXPECT_TRUE(same_everywhere(made.values));
  EXPECT_TRUE(std::is_sorted(made.values.rbegin(), made.values.rend()));
  EXPECT_TRUE(std::all_of(made.values.begin(), made.values.end(), [](double value) { return value >= 0; }));
  expect_orthonormal_columns(u);
  expect_orthonormal_columns(adjoint(vh));
  EXPECT_LE(largest_difference(product(with_columns_scaled(u, made.values), vh), a), tolerance<T>(a.m + a.n));
}

TYPED_TEST(ScalapackSpectrum, SingularValuesOfMatricesOfAnyShape) {
  using T = TypeParam;
  Random random(32);
  for (int round = 0; round < effort::of(50, 10); ++round) {
    const Index m = 1 + pick(random, 20), n = 1 + pick(random, 20);
    const Whole<T> a = random_matrix<T>(random, m, n);
    DenseOptions options;
    options.copy = static_cast<Copy>(pick(random, 3));
    options.overwrite_a = pick(random, 2) == 0;
    const bool strict = options.copy == Copy::never;
    const Held<T> held = part_of(
        a, strict ? some_squares(random, m, n, false) : some_distribution(random, m, n),
        strict && options.overwrite_a ? static_cast<Lines>(pick(random, 2)) : some_lines(random), pick(random, 3));
    const sl::Svd made = sl::svd(held.array, MPI_COMM_WORLD, options);
    expect_svd(a, made);
    EXPECT_TRUE(options.overwrite_a || held.is_unchanged());
    if (strict && options.overwrite_a) {
      EXPECT_EQ(made.receipt.bytes_copied, 0);
    }
  }
}

// Three values that are known, of which two are equal and one is 0.
TYPED_TEST(ScalapackSpectrum, OfADiagonalMatrixIsTheDiagonal) {
  using T = TypeParam;
  Whole<T> a(4, 4);
  const double diagonal[] = {3, -2, 0, 3};
  for (Index i = 0; i < 4; ++i) a.at(i, i) = T(static_cast<RealOf<T>>(diagonal[i]));
  const Held<T> held = part_of(a, sl::squares({4, 4}, processes()), Lines::columns);
  const sl::Eigen eigen = sl::eigh(held.array, MPI_COMM_WORLD);
  const sl::Svd svd = sl::svd(held.array, MPI_COMM_WORLD);
  const double values[] = {-2, 0, 3, 3}, singular[] = {3, 3, 2, 0};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(eigen.values[k], values[k], tolerance<T>(1));
    EXPECT_NEAR(svd.values[k], singular[k], tolerance<T>(1));
  }
}

TYPED_TEST(ScalapackSpectrum, OfNothingIsNothing) {
  using T = TypeParam;
  for (const auto& [m, n] : {std::pair<Index, Index>{0, 0}, {5, 0}, {0, 4}}) {
    const Held<T> held = part_of(Whole<T>(m, n), sl::squares({m, n}, processes()), Lines::columns);
    const sl::Svd made = sl::svd(held.array, MPI_COMM_WORLD);
    EXPECT_TRUE(made.values.empty());
    EXPECT_EQ(gathered<T>(made.u).m, m);
    EXPECT_EQ(gathered<T>(made.vh).n, n);
    if (m == n) {
      EXPECT_TRUE(sl::eigh(held.array, MPI_COMM_WORLD).values.empty());
    }
  }
}

TYPED_TEST(ScalapackSpectrum, OfOneElementIsTheElementAndAVectorOfLengthOne) {
  using T = TypeParam;
  Whole<T> a(1, 1);
  a.at(0, 0) = T(-3);
  const Held<T> held = part_of(a, sl::squares({1, 1}, processes()), Lines::columns);
  const sl::Eigen eigen = sl::eigh(held.array, MPI_COMM_WORLD);
  ASSERT_EQ(eigen.values.size(), 1u);
  EXPECT_NEAR(eigen.values[0], -3, tolerance<T>(1));
  EXPECT_NEAR(std::abs(gathered<T>(eigen.vectors).at(0, 0)), 1, tolerance<T>(1));
}

}  // namespace
