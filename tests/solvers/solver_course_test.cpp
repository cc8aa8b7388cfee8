#include "solvers/solver_support.hpp"

using namespace solver_test;

TEST(Watch, OfOneProcessStopsAllAtTheSameIterationAndASecondSolveGoesOn) {
  for (const Method method : {Method::cg, Method::gmres})
    for (const int when : {0, 1, 5}) {
      Problem p(method == Method::cg ? 0 : 0.9);
      Options options = options_of(method);
      std::vector<double> seen;
      options.watched = true;
      if (rank() == processes() - 1)  // null on the others
        options.watch = [&](int iteration, double residual) {
          EXPECT_EQ(iteration, static_cast<int>(seen.size()));
          seen.push_back(residual);
          return iteration == when;
        };
      const Solution solution = solve(p.a, Teuchos::null, p.b, p.x, options);
      EXPECT_TRUE(solution.stopped);
      EXPECT_FALSE(solution.converged);
      EXPECT_EQ(solution.iterations, when);
      EXPECT_EQ(solution.residuals.size(), static_cast<std::size_t>(when) + 1);
      if (options.watch) {
        ASSERT_EQ(seen.size(), solution.residuals.size());
        for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_NEAR(seen[i], solution.residuals[i], 1e-12);
      }
      // x is the iterate of then: what stands in it has the residual told.
      Vector r(p.b, Teuchos::Copy);
      p.a->apply(p.x, r);
      r.update(1, p.b, -1);
      EXPECT_NEAR(r.norm2() / p.b.norm2(), solution.residuals.back(), 1e-12);
      EXPECT_EQ(when == 0, solution.residual == 1);

      options.watch = nullptr;
      const Solution second = solve(p.a, Teuchos::null, p.b, p.x, options);
      expect_good(second, 1e-10);
      EXPECT_NEAR(second.residuals[0], solution.residual, 1e-12);
      EXPECT_LT(worst_error(p.layout, data_of(p.x)), 1e-8);
    }
}

TEST(Watch, ThatThrowsOnOneProcessFailsAll) {
  Problem p;
  Options options = options_of(Method::cg);
  options.watched = true;
  const Index bad = processes() - 1;
  options.watch = [&](int iteration, double) {
    if (iteration == 3 && rank() == bad) throw std::runtime_error("no more of this");
    return false;
  };
  const std::string text = refusal([&] { solve(p.a, Teuchos::null, p.b, p.x, options); });
  expect_says(text, "no more of this");
  expect_says(text, "(rank " + std::to_string(bad) + ")");
}

TEST(Watch, IsNotCalledUnlessWatchedIsSet) {
  Problem p;
  Options options = options_of(Method::cg);
  options.watch = [](int, double) -> bool { throw std::runtime_error("asked"); };
  expect_good(solve(p.a, Teuchos::null, p.b, p.x, options), 1e-10);
}

namespace {

/// The matrix as an operator that nobody knows, which throws on one process at one time.
class Foreign : public Operator {
 public:
  Foreign(Teuchos::RCP<const CrsMatrix> matrix, int fails = -1) : matrix_(std::move(matrix)), fails_(fails) {}

  Teuchos::RCP<const Tpetra::Map<>> getDomainMap() const override { return matrix_->getDomainMap(); }
  Teuchos::RCP<const Tpetra::Map<>> getRangeMap() const override { return matrix_->getRangeMap(); }
  void apply(const Tpetra::MultiVector<double>& x, Tpetra::MultiVector<double>& y, Teuchos::ETransp /*mode*/,
             double /*alpha*/, double /*beta*/) const override {
    matrix_->apply(x, y);
    EXPECT_EQ(x.getNumVectors(), 1U);
    if (asked++ == fails_ && rank() == processes() - 1) throw std::runtime_error("matvec failed");
  }

  mutable int asked = 0;

 private:
  Teuchos::RCP<const CrsMatrix> matrix_;
  int fails_;
};

}  // namespace

TEST(ForeignOperator, IsSolvedAndAskedNoMoreOftenThanItMust) {
  for (const Method method : {Method::cg, Method::gmres}) {
    Problem p(method == Method::cg ? 0 : 0.9);
    const auto op = Teuchos::rcp(new Foreign(p.a));
    const Solution solution = solve(op, Teuchos::null, p.b, p.x, options_of(method));
    expect_good(solution, 1e-10);
    EXPECT_LE(op->asked, solution.iterations + (method == Method::cg ? 2 : 3));  // GMRES computes x at its end, too
    EXPECT_LT(worst_error(p.layout, data_of(p.x)), 1e-8);
  }
}

TEST(ForeignOperator, ThatThrowsOnOneProcessFailsAllAndLeavesXAnIterate) {
  for (const Method method : {Method::cg, Method::gmres})
    for (const int when : {0, 1, 4}) {
      Problem p(method == Method::cg ? 0 : 0.9);
      const std::string text =
          refusal([&] { solve(Teuchos::rcp(new Foreign(p.a, when)), Teuchos::null, p.b, p.x, options_of(method)); });
      expect_says(text, "matvec failed");
      expect_says(text, "(rank " + std::to_string(processes() - 1) + ")");
      expect_good(solve(p.a, Teuchos::null, p.b, p.x, options_of(method)), 1e-10);
    }
}

TEST(Solve, SaysWhatDidNotConverge) {
  for (const Method method : {Method::cg, Method::gmres}) {
    Problem p(method == Method::cg ? 0 : 0.9);
    Options options = options_of(method);
    for (options.maxiter = 0; options.maxiter < 8; ++options.maxiter) {
      p.x.putScalar(0);
      const Solution solution = solve(p.a, Teuchos::null, p.b, p.x, options);
      EXPECT_FALSE(solution.converged);
      EXPECT_FALSE(solution.stopped);
      EXPECT_EQ(solution.iterations, options.maxiter);
      EXPECT_EQ(solution.residuals.size(), static_cast<std::size_t>(options.maxiter) + 1);
      EXPECT_GT(solution.residual, 1e-10);
    }
  }
}

TEST(Solve, CountsIterationsOverRestarts) {
  Problem p(0.9);
  Options options = options_of(Method::gmres);
  options.parameters.set("Num Blocks", 4);
  options.maxiter = 10;
  const Solution few = solve(p.a, Teuchos::null, p.b, p.x, options);
  EXPECT_EQ(few.iterations, 10);
  EXPECT_FALSE(few.converged);
  p.x.putScalar(0);
  options.maxiter = 1000;
  std::vector<int> asked;
  options.watched = true;
  options.watch = [&](int iteration, double) {
    asked.push_back(iteration);
    return false;
  };
  const Solution all = solve(p.a, Teuchos::null, p.b, p.x, options);
  expect_good(all, 1e-10);
  EXPECT_GT(all.iterations, 10);
  for (std::size_t i = 0; i < asked.size(); ++i) EXPECT_EQ(asked[i], static_cast<int>(i));
  for (std::size_t i = 0; i <= 10; ++i) EXPECT_NEAR(few.residuals[i], all.residuals[i], 1e-13);
  EXPECT_LT(worst_error(p.layout, data_of(p.x)), 1e-8);
}

TEST(Solve, OfNothingIsZeroAtOnce) {
  for (const Method method : {Method::cg, Method::gmres}) {
    Problem p;
    p.b.putScalar(0);
    p.x.putScalar(3);
    const Solution solution = solve(p.a, Teuchos::null, p.b, p.x, options_of(method));
    expect_good(solution, 0);
    EXPECT_EQ(solution.iterations, 0);
    EXPECT_EQ(p.x.normInf(), 0);
    p.x.putScalar(3);
    expect_good(DirectSolver(p.a).solve(p.b, p.x), 0);
    EXPECT_EQ(p.x.normInf(), 0);
  }
}

TEST(Solve, FromTheAnswerTakesNoIteration) {
  for (const Method method : {Method::cg, Method::gmres}) {
    Problem p;
    DirectSolver(p.a).solve(p.b, p.x);
    EXPECT_EQ(solve(p.a, Teuchos::null, p.b, p.x, options_of(method)).iterations, 0);
  }
}

TEST(Solve, EndsWhereRoundingDoes) {
  for (const Method method : {Method::cg, Method::gmres}) {
    Problem p(method == Method::cg ? 0 : 0.9);
    const Solution solution = solve(p.a, Teuchos::null, p.b, p.x, options_of(method, 1e-25));
    EXPECT_FALSE(solution.converged);
    EXPECT_LT(solution.residual, 1e-13);
    EXPECT_LT(solution.iterations, 400);
    EXPECT_LT(worst_error(p.layout, data_of(p.x)), 1e-11);
  }
}

TEST(Solve, IsDoneWhereTheKrylovSpaceEnds) {
  const Rows scaled = [](Index id) { return Row{{id, 2.0}}; };
  for (const Method method : {Method::cg, Method::gmres}) {
    Problem p;
    const auto a = matrix_of(p.layout, scaled);
    const Solution solution = solve(a, Teuchos::null, p.b, p.x, options_of(method, 1e-14));
    expect_good(solution, 1e-14);
    EXPECT_EQ(solution.iterations, 1);
  }
}

TEST(Solve, NamesWhatIsIndefiniteAtABreakdown) {
  Problem p;
  const Rows negative = [](Index id) { return Row{{id, id % 2 == 0 ? 1.0 : -1.0 - static_cast<double>(id)}}; };
  const auto a = matrix_of(p.layout, negative);
  const std::string text = refusal([&] { solve(a, Teuchos::null, p.b, p.x, options_of(Method::cg)); });
  expect_says(text, "the matrix is not positive definite");
  expect_says(text, "method='gmres'");
  EXPECT_EQ(text.find(".hpp"), std::string::npos) << text;
  Options options = options_of(Method::gmres);
  EXPECT_TRUE(solve(a, Teuchos::null, p.b, p.x, options).converged);
  // Nothing at all: no method finds an answer. From Trilinos 16 on CG of Belos says so by its result.
  const auto none = matrix_of(p.layout, [](Index) { return Row{}; });
  p.x.putScalar(0);
  for (const Method method : {Method::cg, Method::gmres}) {
    SCOPED_TRACE(static_cast<int>(method));
    options.method = method;
    Solution solution;
    const std::string said = on::same_error_text([&] { solution = solve(none, Teuchos::null, p.b, p.x, options); });
    if (!said.empty()) expect_says(said, "singular");
    EXPECT_FALSE(solution.converged);
    EXPECT_EQ(p.x.normInf(), 0);
  }
}
