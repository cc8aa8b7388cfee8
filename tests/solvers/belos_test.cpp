#include "solvers/solver_support.hpp"

using namespace solver_test;
using tridap::solvers::belos_methods;
using tridap::solvers::MultiVector;

namespace {

Options named(const std::string& name, double tol = 1e-10) {
  Options options = options_of(Method::belos, tol);
  options.name = name;
  return options;
}

/// Columns b of the answers (j + 1) wave, and their x.
struct Columns {
  MultiVector b, x;

  explicit Columns(const Problem& p, std::size_t count = 3) : b(p.layout.map(), count), x(p.layout.map(), count) {
    for (std::size_t j = 0; j < count; ++j) b.getVectorNonConst(j)->update(static_cast<double>(j + 1), p.b, 0);
  }
  double worst(const Problem& p) const {
    double error = 0;
    for (std::size_t j = 0; j < x.getNumVectors(); ++j) {
      Vector one(*x.getVector(j), Teuchos::Copy);
      one.scale(1 / static_cast<double>(j + 1));
      error = std::max(error, worst_error(p.layout, data_of(one)));
    }
    return error;
  }
};

/// Those for symmetric positive definite matrices, and those for others.
const std::vector<std::string> positive = {"BLOCK CG", "PSEUDOBLOCK CG", "MINRES", "PCPG"};
const std::vector<std::string> general = {"BICGSTAB", "BLOCK GMRES",       "FLEXIBLE GMRES",    "gcrodr",
                                          "LSQR",     "Pseudoblock GMRES", "PSEUDOBLOCK TFQMR", "TFQMR"};

}  // namespace

TEST(Belos, FindsTheAnswersOfSeveralRightHandSidesByEachMethod) {
  for (const std::size_t which : {std::size_t{2}, std::size_t{7}})
    for (const auto& names : {positive, general})
      for (const std::string& name : names) {
        SCOPED_TRACE(name);
        const Problem p(names == positive ? 0 : 0.3, which, 9);
        Columns columns(p);
        columns.b.getVectorNonConst(1)->putScalar(0);
        columns.x.putScalar(0.5);
        const Solution solution = solve(p.a, Teuchos::null, columns.b, columns.x, named(name));
        EXPECT_TRUE(solution.converged);
        ASSERT_EQ(solution.each.size(), 3U);
        EXPECT_EQ(solution.residual, *std::max_element(solution.each.begin(), solution.each.end()));
        EXPECT_LE(solution.residual, 1e-10);
        EXPECT_EQ(columns.x.getVector(1)->normInf(), 0);
        columns.x.getVectorNonConst(1)->update(2.0 / 3, *columns.x.getVector(2), 0);
        EXPECT_LT(columns.worst(p), 1e-7);
      }
}

TEST(Belos, FromARoughAnswerNeedsOnlyTheRestOfTheIterations) {
  for (const std::string name : {"BLOCK CG", "MINRES", "BICGSTAB", "GCRODR"}) {
    SCOPED_TRACE(name);
    Problem p;
    const int all = solve(p.a, Teuchos::null, p.b, p.x, named(name, 1e-10)).iterations;
    p.x.putScalar(0);
    solve(p.a, Teuchos::null, p.b, p.x, named(name, 1e-8));
    const Solution rest = solve(p.a, Teuchos::null, p.b, p.x, named(name, 1e-10));
    EXPECT_TRUE(rest.converged);
    EXPECT_LT(rest.iterations, (3 * all) / 4);
    EXPECT_EQ(solve(p.a, Teuchos::null, p.b, p.x, named(name, 1e-9)).iterations, 0);
  }
}

TEST(Belos, KnowsItsOwnNamesAndNamesTheNearestOne) {
  const std::vector<std::string> names = belos_methods();
  for (const auto& some : {positive, general})
    for (const std::string& name : some) EXPECT_NO_THROW(tridap::solvers::check_belos_method(name)) << name;
  for (const std::string& name : names) EXPECT_NO_THROW(tridap::solvers::check_belos_method(name)) << name;
  Problem p;
  const auto refused = [&](const std::string& name) {
    return refusal([&] { solve(p.a, Teuchos::null, p.b, p.x, named(name)); });
  };
  expect_says(refused("bicgstap"), "did you mean 'BICGSTAB'?");
  expect_says(refused("MINRS"), "did you mean 'MINRES'?");
  expect_says(refused(""), "'method' is ''");
  expect_says(refused("multigrid by hand"), "'BLOCK GMRES'");
}

TEST(Belos, RefusesParametersThatAreNone) {
  Problem p;
  const auto refused = [&](const std::string& name, const std::string& key, const auto& value) {
    Options options = named(name);
    options.parameters.set(key, value);
    return refusal([&] { solve(p.a, Teuchos::null, p.b, p.x, options); });
  };
  expect_says(refused("BLOCK GMRES", "Num Block", 3), "did you mean 'Num Blocks'?");
  expect_says(refused("BLOCK GMRES", "Num Blocks", 3.5), "is of type double, must be of type int");
  expect_says(refused("MINRES", "Num Recycled Blocks", 3), "'Num Recycled Blocks' is unknown, must be one of");
  for (const std::string ours : {"Convergence Tolerance", "Maximum Iterations", "Verbosity"})
    expect_says(refused("BICGSTAB", ours, 3), "'" + ours + "' is not taken");
  expect_says(refused("gcrodr", "Orthogonalization", std::string("none")), "Belos: ");
  Options options = named("TFQMR");
  options.parameters.set("Implicit Tolerance Scale Factor", 10);  // an int becomes a double
  EXPECT_TRUE(solve(p.a, Teuchos::null, p.b, p.x, options).converged);
}

TEST(Belos, RefusesAnotherNumberOfVectorsInX) {
  Problem p;
  Columns columns(p);
  MultiVector two(p.layout.map(), 2);
  expect_refused([&] { solve(p.a, Teuchos::null, columns.b, two, named("BICGSTAB")); },
                 "x has 2 vectors, b has 3, must be as many");
  expect_refused([&] { DirectSolver(p.a).solve(columns.b, two); }, "x has 2 vectors, b has 3");
}

TEST(Belos, RefusesMethodsThatDiffer) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  Problem p;
  const Options options = named(rank() == 0 ? "TFQMR" : "BICGSTAB");
  expect_refused([&] { solve(p.a, Teuchos::null, p.b, p.x, options); }, "different options");
}

TEST(Belos, StopsAtAWatchOfOneProcessWithTheIterateOfThen) {
  for (const auto& names : {positive, general})
    for (const std::string& name : names) {
      SCOPED_TRACE(name);
      Problem p(names == positive ? 0 : 0.3);
      Options options = named(name);
      options.watched = true;
      double last = 0;
      if (rank() == processes() - 1)
        options.watch = [&](int iteration, double residual) {
          last = residual;
          return iteration == 4;
        };
      const Solution solution = solve(p.a, Teuchos::null, p.b, p.x, options);
      EXPECT_TRUE(solution.stopped);
      EXPECT_FALSE(solution.converged);
      Vector r(p.b, Teuchos::Copy);
      p.a->apply(p.x, r);
      r.update(1, p.b, -1);
      EXPECT_NEAR(r.norm2() / p.b.norm2(), solution.residual, 1e-12);
      if (rank() == processes() - 1) {
        EXPECT_NEAR(last, solution.residual, 1e-12);
      }
      options.watch = nullptr;
      EXPECT_TRUE(solve(p.a, Teuchos::null, p.b, p.x, options).converged);
      EXPECT_LT(worst_error(p.layout, data_of(p.x)), 1e-7);
    }
}

namespace {

/// The matrix or its diagonal, which throws at one product on one process.
class Failing : public Operator {
 public:
  Failing(Teuchos::RCP<const CrsMatrix> matrix, int fails) : matrix_(std::move(matrix)), fails_(fails) {}

  Teuchos::RCP<const Tpetra::Map<>> getDomainMap() const override { return matrix_->getDomainMap(); }
  Teuchos::RCP<const Tpetra::Map<>> getRangeMap() const override { return matrix_->getRangeMap(); }
  bool hasTransposeApply() const override { return true; }
  void apply(const MultiVector& x, MultiVector& y, Teuchos::ETransp mode, double alpha, double beta) const override {
    matrix_->apply(x, y, mode, alpha, beta);
    if (asked_++ == fails_ && rank() == processes() - 1) throw std::runtime_error("product failed");
  }

 private:
  Teuchos::RCP<const CrsMatrix> matrix_;
  int fails_;
  mutable int asked_ = 0;
};

}  // namespace

TEST(Belos, FailsOnAllProcessesIfAnOperatorOrAPreconditionerThrowsOnOne) {
  for (const auto& names : {positive, general})
    for (const std::string& name : names)
      for (const int when : {0, 1, 3}) {
        SCOPED_TRACE(name + " " + std::to_string(when));
        Problem p(names == positive ? 0 : 0.3);
        const auto failing = Teuchos::rcp(new Failing(p.a, when));
        const std::string text = refusal([&] { solve(failing, Teuchos::null, p.b, p.x, named(name)); });
        expect_says(text, "product failed");
        expect_says(text, "(rank " + std::to_string(processes() - 1) + ")");
        if (name == "LSQR" || name == "PCPG") {
          expect_refused([&] { solve(p.a, p.a, p.b, p.x, named(name)); }, "must have none");
          continue;
        }
        const auto identity = matrix_of(p.layout, [](Index id) { return Row{{id, 1.0}}; });
        const auto helper = Teuchos::rcp(new Failing(identity, when));
        expect_refused([&] { solve(p.a, helper, p.b, p.x, named(name)); }, "product failed");
        EXPECT_TRUE(solve(p.a, identity, p.b, p.x, named(name)).converged);
      }
}

TEST(SeveralRightHandSides, AreSolvedByEachMethodAndPreconditionerAndNumberOfThem) {
  for (const Method method : {Method::cg, Method::gmres})
    for (const std::string preconditioner : {"", "ifpack2", "muelu"}) {
      const Problem p(method == Method::cg ? 0 : 0.3);
      const auto m = preconditioner.empty() ? Teuchos::null : make_preconditioner(preconditioner, method, p.a, {});
      for (const std::size_t count : {std::size_t{1}, std::size_t{4}, std::size_t{2}}) {
        SCOPED_TRACE(preconditioner + " " + std::to_string(count));
        Columns columns(p, count);
        const Solution solution = solve(p.a, m, columns.b, columns.x, options_of(method));
        EXPECT_TRUE(solution.converged);
        EXPECT_LE(solution.residual, 1e-10);
        EXPECT_EQ(solution.residuals.back(), solution.residual);
        EXPECT_EQ(solution.each.size(), count);
        EXPECT_LT(columns.worst(p), 1e-8);
      }
    }
  const Problem p(0.3);
  Columns columns(p);
  const Solution solution = DirectSolver(p.a).solve(columns.b, columns.x);
  EXPECT_TRUE(solution.converged);
  EXPECT_EQ(solution.each.size(), 3U);
  EXPECT_LT(columns.worst(p), 1e-12);
}

TEST(SeveralRightHandSides, AreConvergedAtTheAbsoluteToleranceOrTheRelativeOne) {
  const Problem p;
  for (const Method method : {Method::cg, Method::gmres, Method::belos})
    for (const std::size_t count : {std::size_t{1}, std::size_t{2}}) {
      Options options = options_of(method, 1e-14);
      options.name = "BICGSTAB";
      Columns columns(p, count);
      columns.b.getVectorNonConst(count - 1)->scale(1e-3);
      options.atol = 1e-5;
      const Solution solution = solve(p.a, Teuchos::null, columns.b, columns.x, options);
      EXPECT_TRUE(solution.converged);
      for (std::size_t j = 0; j < count; ++j) EXPECT_LE(solution.each[j] * columns.b.getVector(j)->norm2(), 1e-5);
      EXPECT_GT(solution.residual, 1e-12);
    }
}
