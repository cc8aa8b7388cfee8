#include "c_solvers/laplace.hpp"

using namespace laplace;

namespace {

// The eigenvalues of the five-point matrix with 4.5 on the diagonal, ascending.
std::vector<double> expected(std::int64_t n, std::int64_t m) {
  std::vector<double> all;
  const double pi = std::acos(-1.0);
  for (std::int64_t k = 1; k <= n; ++k)
    for (std::int64_t l = 1; l <= m; ++l)
      all.push_back(4.5 - 2 * std::cos(pi * static_cast<double>(k) / static_cast<double>(n + 1)) -
                    2 * std::cos(pi * static_cast<double>(l) / static_cast<double>(m + 1)));
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

TEST(CEigenvalues, FindsBothEndsOfTheSpectrum) {
  const std::vector<double> all = expected(12, 9);
  for (const char* const which : {"SA", "LA"}) {
    Case system({}, 0, 3);
    tridap_eigen_options options{};
    options.which = which;
    double values[3] = {}, residuals[3] = {};
    tridap_eigen_solution solution{};
    OK(tridap_eigenvalues(system.a, {}, system.x.array, &options, values, residuals, &solution));
    EXPECT_EQ(solution.converged, 1);
    ASSERT_EQ(solution.count, 3);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(values[i], all[which[0] == 'S' ? i : all.size() - 3 + i], 1e-7);
      EXPECT_LT(residuals[i], 1e-5);
    }
  }
}

TEST(CEigenvalues, FindsThoseNearASigma) {
  const std::vector<double> all = expected(12, 9);
  const double sigma = 4;
  std::vector<double> near = all;
  std::sort(near.begin(), near.end(), [&](double a, double b) { return std::abs(a - sigma) < std::abs(b - sigma); });
  near.resize(2);
  std::sort(near.begin(), near.end());
  Case system({}, 1, 2);
  tridap_eigen_options options{};
  options.method = "krylov schur";
  options.which = "LM";
  options.sigma = &sigma;
  options.copy = TRIDAP_COPY_IF_NEEDED;
  double values[2] = {};
  OK(tridap_eigenvalues(system.a, {}, system.x.array, &options, values, nullptr, nullptr));
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(values[i], near[i], 1e-7);
}

TEST(CEigenvalues, WrongArgumentsAreRefused) {
  Case system({}, 0, 2);
  const Vector one({12, 9}, 0, TRIDAP_ROW_MAJOR);
  tridap_eigen_options options{};
  double values[2];
  options.which = "small";
  EXPECT_REFUSED(tridap_eigenvalues(system.a, {}, system.x.array, &options, values, nullptr, nullptr),
                 "'which' is 'small', must be 'SA', 'LA', 'LM' or 'SM'");
  EXPECT_REFUSED(tridap_eigenvalues(system.a, {}, one.array, nullptr, values, nullptr, nullptr),
                 "must have one axis more");
  EXPECT_REFUSED(tridap_eigenvalues(system.a, {}, system.x.array, nullptr, nullptr, nullptr, nullptr),
                 "values is NULL");
}
