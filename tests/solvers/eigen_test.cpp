#include "solvers/solver_support.hpp"
#include <tridap/solvers/eigen.hpp>

using namespace solver_test;
using tridap::solvers::EigenMethod;
using tridap::solvers::EigenOptions;
using tridap::solvers::EigenSolution;
using tridap::solvers::find_eigenvalues;
using tridap::solvers::MultiVector;
using tridap::solvers::Operator;
using tridap::solvers::Vector;
using tridap::solvers::Which;

namespace {

/// The eigenvalues of laplace(n), ascending, by their formula.
std::vector<double> of_laplace(Index n) {
  std::vector<double> values;
  const double pi = std::acos(-1.0), step = pi / static_cast<double>(n + 1);
  for (Index i = 1; i <= n; ++i)
    for (Index j = 1; j <= n; ++j)
      values.push_back(4 - 2 * std::cos(static_cast<double>(i) * step) - 2 * std::cos(static_cast<double>(j) * step));
  std::sort(values.begin(), values.end());
  return values;
}

EigenOptions eigen_options(EigenMethod method, Which which) {
  EigenOptions options;
  options.method = method;
  options.which = which;
  return options;
}

/// |A v - value M v| / |v| of a vector, by Tpetra's products. Without an M, M is the identity. Collective.
double residual(const Operator& a, const Operator* m, const Vector& v, double value) {
  Vector product(v.getMap()), mass(v, Teuchos::Copy);
  a.apply(v, product);
  if (m != nullptr) m->apply(v, mass);
  product.update(-value, mass, 1);
  return product.norm2() / v.norm2();
}

/// Without an M: expects that the eigenvalues of A x = w x nearest to sigma are `nearest`. With M = 2 I: that those of
/// A x = w M x nearest to sigma / 2 are half of `nearest`.
void expect_near_a_sigma(const ArrayMap& layout, const Teuchos::RCP<const CrsMatrix>& a,
                         const Teuchos::RCP<const CrsMatrix>& m, double sigma, const std::vector<double>& nearest) {
  const double mass = m.is_null() ? 1 : 2;
  MultiVector x(layout.map(), nearest.size());
  EigenOptions options = eigen_options(EigenMethod::krylov_schur, Which::largest_magnitude);
  options.sigma = sigma / mass;
  const EigenSolution solution = find_eigenvalues(a, m, Teuchos::null, x, options);
  EXPECT_TRUE(solution.converged);
  ASSERT_EQ(solution.values.size(), nearest.size());
  for (std::size_t j = 0; j < nearest.size(); ++j) {
    EXPECT_NEAR(solution.values[j], nearest[j] / mass, 1e-9);
    EXPECT_LT(solution.residuals[j], 1e-6);
    EXPECT_NEAR(residual(*a, m.get(), *x.getVector(j), solution.values[j]), solution.residuals[j], 1e-10);
    EXPECT_NEAR(x.getVector(j)->norm2(), 1 / std::sqrt(mass), 1e-10);
  }
}

}  // namespace

TEST(Eigenvalues, AreThoseOfTheFormulaOnEveryMap) {
  const Index n = 9;
  const std::vector<double> all = of_laplace(n);
  for (const Case& c : cases(n))
    for (const EigenMethod method : {EigenMethod::lobpcg, EigenMethod::krylov_schur})
      for (const Which which : {Which::smallest, Which::largest}) {
        SCOPED_TRACE(c.name);
        const ArrayMap layout(c.part, MPI_COMM_WORLD);
        const auto a = matrix_of(layout, laplace(n));
        MultiVector x(layout.map(), 3);
        const EigenSolution solution =
            find_eigenvalues(a, Teuchos::null, Teuchos::null, x, eigen_options(method, which));
        EXPECT_TRUE(solution.converged);
        ASSERT_EQ(solution.values.size(), 3U);
        const std::size_t first = which == Which::smallest ? 0 : all.size() - 3;
        for (std::size_t j = 0; j < 3; ++j) {
          EXPECT_NEAR(solution.values[j], all[first + j], 1e-7);
          EXPECT_LT(solution.residuals[j], 1e-7 * (1 + all[first + j]));
          EXPECT_NEAR(residual(*a, nullptr, *x.getVector(j), solution.values[j]), solution.residuals[j], 1e-10);
          EXPECT_NEAR(x.getVector(j)->norm2(), 1, 1e-10);
        }
      }
}

TEST(Eigenvalues, DoNotDependOnTheNumberOfProcessesBeyondRounding) {
  Problem p;
  MultiVector x(p.layout.map(), 2), again(p.layout.map(), 2);
  const auto options = eigen_options(EigenMethod::lobpcg, Which::smallest);
  const auto m = make_preconditioner("muelu", Method::cg, p.a, {});
  const EigenSolution first = find_eigenvalues(p.a, Teuchos::null, m, x, options);
  EXPECT_LT(first.iterations, 40);
  EXPECT_EQ(find_eigenvalues(p.a, Teuchos::null, m, again, options).values, first.values);
  EXPECT_LE(find_eigenvalues(p.a, Teuchos::null, m, x, options).iterations, 3);  // it begins with the answer
}

TEST(Eigenvalues, OfTwoMatricesAreThoseOfTheirQuotient) {
  Problem p;
  const auto twice = matrix_of(p.layout, [](Index id) { return Row{{id, 2.0}}; });
  MultiVector x(p.layout.map(), 2);
  const EigenSolution solution =
      find_eigenvalues(p.a, twice, Teuchos::null, x, eigen_options(EigenMethod::lobpcg, Which::smallest));
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(solution.values[j], of_laplace(13)[j] / 2, 1e-7);
    EXPECT_NEAR(x.getVector(j)->norm2(), std::sqrt(0.5), 1e-8);
  }
}

// At 4.1684 and on 4 processes, Anasazi of Trilinos 13.2 confuses the vectors of "an empty process" at the first
// attempt.
TEST(Eigenvalues, NearASigmaAreThoseOfTheFormulaOnEveryMap) {
  const Index n = 9;
  for (const double sigma : {1.6, 4.1684}) {
    std::vector<double> nearest = of_laplace(n);
    std::sort(nearest.begin(), nearest.end(),
              [&](double v, double w) { return std::abs(v - sigma) < std::abs(w - sigma); });
    nearest.resize(3);
    std::sort(nearest.begin(), nearest.end());
    for (const Case& c : cases(n)) {
      SCOPED_TRACE(c.name + ", sigma " + std::to_string(sigma));
      const ArrayMap layout(c.part, MPI_COMM_WORLD);
      const auto a = matrix_of(layout, laplace(n)), twice = matrix_of(layout, [](Index id) { return Row{{id, 2.0}}; });
      for (const double mass : {1.0, 2.0})
        expect_near_a_sigma(layout, a, mass == 1 ? Teuchos::null : twice, sigma, nearest);
    }
  }
}

TEST(Eigenvalues, NearASigmaThatIsOneAreRefused) {
  Problem p;
  const auto steps = matrix_of(p.layout, [](Index id) { return Row{{id, static_cast<double>(id)}}; });
  MultiVector x(p.layout.map(), 2);
  EigenOptions options = eigen_options(EigenMethod::krylov_schur, Which::largest);
  options.sigma = 17;
  expect_refused([&] { find_eigenvalues(steps, Teuchos::null, Teuchos::null, x, options); },
                 "A - sigma I is singular or nearly singular");
  options.sigma = 16.5;  // above it: 17 and 18
  EXPECT_NEAR(find_eigenvalues(steps, Teuchos::null, Teuchos::null, x, options).values.back(), 18, 1e-9);
  options.method = EigenMethod::lobpcg;
  expect_refused([&] { find_eigenvalues(steps, Teuchos::null, Teuchos::null, x, options); }, "lobpcg has a sigma");
}

TEST(Eigenvalues, StopAtAWatchAndFailTogether) {
  Problem p;
  for (const EigenMethod method : {EigenMethod::lobpcg, EigenMethod::krylov_schur}) {
    MultiVector x(p.layout.map(), 2);
    EigenOptions options = eigen_options(method, Which::smallest);
    options.watched = true;
    if (rank() == processes() - 1) options.watch = [](int products, double) { return products == 3; };
    const EigenSolution solution = find_eigenvalues(p.a, Teuchos::null, Teuchos::null, x, options);
    EXPECT_TRUE(solution.stopped);
    EXPECT_FALSE(solution.converged);
    if (rank() == 0) options.watch = [](int, double) -> bool { throw std::runtime_error("no more of this"); };
    expect_refused([&] { find_eigenvalues(p.a, Teuchos::null, Teuchos::null, x, options); }, "no more of");
    expect_refused(
        [&] {
          EigenOptions wrong = eigen_options(method, Which::smallest);
          wrong.tol = rank() == 0 ? -1 : 1e-8;
          find_eigenvalues(p.a, Teuchos::null, Teuchos::null, x, wrong);
        },
        processes() == 1 ? "tol is -1" : "different options");
  }
}

TEST(Eigenvalues, ASigmaThatDiffersBetweenProcessesIsRefused) {
  if (processes() == 1) GTEST_SKIP() << "one process cannot differ from another";
  Problem p;
  MultiVector x(p.layout.map(), 2);
  EigenOptions options = eigen_options(EigenMethod::krylov_schur, Which::largest_magnitude);
  options.sigma = rank() == processes() - 1 ? 0.125 : 0.25;
  expect_refused([&] { find_eigenvalues(p.a, Teuchos::null, Teuchos::null, x, options); },
                 "the processes have different options");
}
