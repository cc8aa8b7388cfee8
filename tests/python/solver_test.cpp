#include "solver/solve.hpp"
#include "tpetra/support.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

using namespace tpetra_test;
using dap::python::CrsMatrix;
using dap::python::Csr;
using dap::python::DirectSolver;
using dap::python::Integers;
using dap::python::make_matrix;
using dap::python::make_preconditioner;
using dap::python::Method;
using dap::python::Operator;
using dap::python::Options;
using dap::python::Solution;
using dap::python::solve;
using dap::python::Vector;
using dap::tpetra::Layout;
using oracle::List;

namespace {

/// The entries of a matrix by its row's number: what a row is, without any process.
using Row = std::vector<std::pair<Index, double>>;
using Rows = std::function<Row(Index)>;

/// Rows as CSR arrays, of which a test may spoil any.
struct Arrays {
  std::vector<double> data;
  std::vector<Index> columns, row_starts{0};

  Arrays(const Layout& layout, const Rows& rows) {
    for (const Index id : ids_of(*layout.map())) {
      for (const auto& [column, value] : rows(id)) {
        columns.push_back(column);
        data.push_back(value);
      }
      row_starts.push_back(static_cast<Index>(data.size()));
    }
  }
  Csr csr() const {
    return {data.data(),
            static_cast<Index>(data.size()),
            {columns.data(), 8, static_cast<Index>(columns.size())},
            {row_starts.data(), 8, static_cast<Index>(row_starts.size())}};
  }
};

/// The five-point difference on an n x n grid; `wind` makes it unsymmetric.
Rows laplace(Index n, double wind = 0) {
  return [n, wind](Index id) {
    const Index i = id / n, j = id % n;
    Row row{{id, 4.0 + wind}};  // unsorted, as it comes
    if (j + 1 < n) row.push_back({id + 1, -1 + wind / 3});
    if (i > 0) row.push_back({id - n, -1 - wind});
    if (i + 1 < n) row.push_back({id + n, -1});
    if (j > 0) row.push_back({id - 1, -1});
    return row;
  };
}

struct Case {
  std::string name;
  dap::DistArray part;
  Rows rows = {};  // on n x n
};

Index factor(Index of) {
  Index p = 1;
  for (Index d = 1; d * d <= of; ++d)
    if (of % d == 0) p = d;
  return p;
}

List blocks(Index size, Index grid) {
  List counts;
  for (Index c = 0; c < grid; ++c) counts.push_back(size * (c + 1) / grid - size * c / grid);
  return counts;
}

/// An n x n array, distributed in many ways.
std::vector<Case> cases(Index n) {
  const Index p = factor(processes()), q = processes() / p;
  std::vector<Case> all;
  const auto add = [&](const char* name, const std::vector<oracle::Axis>& axes, bool column_major) {
    Case made{name, stamped(oracle::Array(axes))};
    if (column_major) made.part.buffer.strides = dap::column_major_strides(made.part.buffer.shape, 8);
    all.push_back(made);
  };
  List few(static_cast<std::size_t>(processes()), 0);  // all rows on the last process
  few.back() = n;
  List uneven = blocks(n, processes());
  if (processes() > 2) uneven[0] += uneven[1], uneven[1] = 0;
  std::vector<List> lists(static_cast<std::size_t>(processes()));
  for (Index i = 0; i < n; ++i) lists[static_cast<std::size_t>((i * i) % processes())].push_back(n - 1 - i);
  add("rows in blocks", {oracle::block(blocks(n, processes())), oracle::block({n})}, false);
  add("block x block", {oracle::block(blocks(n, p)), oracle::block(blocks(n, q))}, false);
  add("block x block, column-major", {oracle::block(blocks(n, p)), oracle::block(blocks(n, q))}, true);
  add("cyclic x cyclic", {oracle::cyclic(n, 1, p), oracle::cyclic(n, 2, q)}, false);
  add("columns dealt", {oracle::block({n}), oracle::cyclic(n, 1, processes())}, true);
  add("an empty process", {oracle::block(uneven), oracle::block({n})}, false);
  add("all on the last process", {oracle::block(few), oracle::block({n})}, false);
  add("lists", {oracle::unstructured(lists, true), oracle::block({n})}, false);
  return all;
}

Teuchos::RCP<const CrsMatrix> matrix_of(const Layout& layout, const Rows& rows) {
  const Arrays arrays(layout, rows);
  return make_matrix(layout, arrays.csr());
}

/// The answer known beforehand, by number.
double wave(Index id) { return std::sin(0.37 * static_cast<double>(id)) + 0.01 * static_cast<double>(id % 7); }

/// b of the answer, by the rows themselves and not by Tpetra.
Vector right_hand_side(const Layout& layout, const Rows& rows) {
  Vector b(layout.map());
  double* const values = data_of(b);
  const List ids = ids_of(*layout.map());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    values[i] = 0;
    for (const auto& [column, value] : rows(ids[i])) values[i] += value * wave(column);
  }
  return b;
}

double worst_error(const Layout& layout, const double* x) {
  double worst = 0;
  const List ids = ids_of(*layout.map());
  for (std::size_t i = 0; i < ids.size(); ++i) worst = std::max(worst, std::abs(x[i] - wave(ids[i])));
  return worst;
}

void expect_good(const Solution& solution, double tol) {
  EXPECT_TRUE(solution.converged);
  EXPECT_FALSE(solution.stopped);
  EXPECT_LE(solution.residual, tol);
  EXPECT_EQ(solution.residuals.size(), static_cast<std::size_t>(solution.iterations) + 1);
  ASSERT_FALSE(solution.residuals.empty());
  EXPECT_LE(solution.residuals.back(), tol);
  EXPECT_GE(solution.seconds, 0);
}

Options options_of(Method method, double tol = 1e-10) {
  Options options;
  options.method = method;
  options.tol = tol;
  return options;
}

}  // namespace

TEST(Direct, IsRightOnEveryMapForUnsymmetricMatrices) {
  const Index n = 11;
  for (const Case& c : cases(n)) {
    SCOPED_TRACE(c.name);
    const Layout layout(c.part, MPI_COMM_WORLD);
    const Rows rows = laplace(n, 0.9);
    const auto a = matrix_of(layout, rows);
    const DirectSolver lu(a);
    const Vector b = right_hand_side(layout, rows);
    auto x = dap::tpetra::import_vector<double>(c.part, layout).vector;
    const Solution solution = lu.solve(b, *x);
    expect_good(solution, 1e-12);
    EXPECT_LT(worst_error(layout, static_cast<const double*>(c.part.buffer.data)), 1e-12);
    Vector twice(b, Teuchos::Copy);
    twice.scale(2);
    EXPECT_TRUE(lu.solve(twice, *x).converged);
    x->scale(0.5);
    EXPECT_LT(worst_error(layout, static_cast<const double*>(c.part.buffer.data)), 1e-12);
  }
}

namespace {

/// Some unsymmetric matrix on whatever elements a layout has: its ids may have gaps.
Rows coupled(const Layout& layout) {
  const List mine = ids_of(*layout.map());
  const auto count = static_cast<int>(mine.size());
  std::vector<int> counts(static_cast<std::size_t>(processes())), starts(counts.size() + 1, 0);
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  for (std::size_t i = 0; i < counts.size(); ++i) starts[i + 1] = starts[i] + counts[i];
  List all(static_cast<std::size_t>(starts.back()));
  MPI_Allgatherv(mine.data(), count, MPI_INT64_T, all.data(), counts.data(), starts.data(), MPI_INT64_T,
                 MPI_COMM_WORLD);
  std::sort(all.begin(), all.end());
  return [all](Index id) {
    const auto at = static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), id) - all.begin());
    std::map<Index, double> row{{id, 4.0}};
    if (at + 1 < all.size()) row[all[at + 1]] -= 1.3;
    if (at > 0) row[all[at - 1]] -= 0.7;
    row[all[(7 * at + 3) % all.size()]] += 0.9;
    return Row(row.begin(), row.end());
  };
}

void expect_solved(const dap::DistArray& part) {
  const Layout layout(part, MPI_COMM_WORLD);
  const Rows rows = coupled(layout);
  const DirectSolver lu(matrix_of(layout, rows));
  auto imported = dap::tpetra::import_vector<double>(part, layout, dap::Copy::if_needed).vector;
  Vector own(layout.map());
  for (Vector* const x : {&*imported, &own}) {
    expect_good(lu.solve(right_hand_side(layout, rows), *x), 1e-12);
    EXPECT_LT(worst_error(layout, data_of(*x)), 1e-12);
  }
}

}  // namespace

TEST(Direct, IsRightWhereTheNumbersOfListsHaveGaps) {
  for (const Index gap : {2, 3, 7, 1000})
    for (const Index n : {processes(), Index{37}, Index{200}}) {
      SCOPED_TRACE("gap " + std::to_string(gap) + ", n " + std::to_string(n));
      std::vector<List> dealt(static_cast<std::size_t>(processes())), runs = dealt, mixed = dealt;
      for (Index i = 0; i < n; ++i) {
        dealt[static_cast<std::size_t>(i % processes())].push_back(gap * i);
        runs[static_cast<std::size_t>(i * processes() / n)].push_back(gap * i);
        mixed[static_cast<std::size_t>((i * i) % processes())].push_back(5 + gap * (n - 1 - i) + i % 2);
      }
      for (const auto& lists : {dealt, runs, mixed}) {
        const dap::DistArray part = stamped(oracle::Array({oracle::unstructured(lists, true)}));
        expect_solved(part);
        const Layout layout(part, MPI_COMM_WORLD);  // where nothing was copied, the answer stands in the array
        EXPECT_LT(worst_error(layout, static_cast<const double*>(part.buffer.data)), 1e-12);
      }
    }
}

TEST(Direct, IsRightOnTheInteriorOfPeriodicPaddedArrays) {
  const Index p = factor(processes()), q = processes() / p;
  const auto axis = [](Index grid, Index owned) {
    return oracle::block(List(static_cast<std::size_t>(grid), owned), List(static_cast<std::size_t>(grid - 1), 1),
                         {1, 1}, true);
  };
  for (const Index owned : {3, 4, 9})
    for (const bool column_major : {true, false}) {
      SCOPED_TRACE(std::to_string(owned) + (column_major ? ", column-major" : ""));
      dap::DistArray part = stamped(oracle::Array({axis(p, owned), axis(q, owned + 1)}));
      if (column_major) part.buffer.strides = dap::column_major_strides(part.buffer.shape, 8);
      expect_solved(part);
    }
}

TEST(CG, FindsTheAnswerInTheGivenMemory) {
  const Index n = 13;
  for (const Case& c : cases(n))
    for (const std::string name : {"", "ifpack2", "muelu"}) {
      SCOPED_TRACE(c.name + " " + name);
      const Layout layout(c.part, MPI_COMM_WORLD);
      const auto a = matrix_of(layout, laplace(n));
      const auto m = name.empty() ? Teuchos::null : make_preconditioner(name, Method::cg, a, {});
      auto x = dap::tpetra::import_vector<double>(c.part, layout).vector;
      x->putScalar(0);
      const Solution solution = solve(a, m, right_hand_side(layout, laplace(n)), *x, options_of(Method::cg));
      expect_good(solution, 1e-10);
      EXPECT_DOUBLE_EQ(solution.residuals[0], 1);
      EXPECT_LT(worst_error(layout, static_cast<const double*>(c.part.buffer.data)), 1e-8);
      if (!name.empty()) {
        EXPECT_LT(solution.iterations, 40);
      }
    }
}

TEST(Gmres, FindsTheAnswerOfAnUnsymmetricMatrix) {
  const Index n = 13;
  for (const Case& c : cases(n))
    for (const std::string name : {"", "ifpack2", "muelu"}) {
      SCOPED_TRACE(c.name + " " + name);
      const Layout layout(c.part, MPI_COMM_WORLD);
      const auto a = matrix_of(layout, laplace(n, 0.9));
      const auto m = name.empty() ? Teuchos::null : make_preconditioner(name, Method::gmres, a, {});
      auto x = dap::tpetra::import_vector<double>(c.part, layout).vector;
      x->putScalar(0);
      const Solution solution = solve(a, m, right_hand_side(layout, laplace(n, 0.9)), *x, options_of(Method::gmres));
      expect_good(solution, 1e-10);
      EXPECT_LT(worst_error(layout, static_cast<const double*>(c.part.buffer.data)), 1e-8);
      if (!name.empty()) {
        EXPECT_LT(solution.iterations, 40);
      }
    }
}

TEST(Multigrid, OfSeveralLevelsNeedsFewIterationsOnEveryMap) {
  const Index n = 48;
  for (const Case& c : cases(n)) {
    SCOPED_TRACE(c.name);
    const Layout layout(c.part, MPI_COMM_WORLD);
    for (const Method method : {Method::cg, Method::gmres}) {
      const Rows rows = laplace(n, method == Method::cg ? 0 : 0.1);
      const auto a = matrix_of(layout, rows);
      Vector x(layout.map());
      const Solution solution =
          solve(a, make_preconditioner("muelu", method, a, {}), right_hand_side(layout, rows), x, options_of(method));
      expect_good(solution, 1e-10);
      EXPECT_LT(solution.iterations, 30);
      EXPECT_LT(worst_error(layout, data_of(x)), 1e-7);
    }
  }
}

namespace {

/// A case with work for a while.
struct Problem {
  explicit Problem(double wind = 0, std::size_t which = 3, Index n = 13)
      : layout(cases(n)[which].part, MPI_COMM_WORLD),
        rows(laplace(n, wind)),
        a(matrix_of(layout, rows)),
        b(right_hand_side(layout, rows)),
        x(layout.map()) {}

  Layout layout;
  Rows rows;
  Teuchos::RCP<const CrsMatrix> a;
  Vector b, x;
};

}  // namespace

TEST(Direct, IsConvergedWhereTheResidualIsAtMostTheTolerance) {
  Problem p(0.9);
  const DirectSolver lu(p.a);
  expect_good(lu.solve(p.b, p.x), 1e-12);
  for (const double tol : {1e-3, 1e-10, 1e-17, 1e-25, 0.0}) {
    SCOPED_TRACE(tol);
    const Solution solution = lu.solve(p.b, p.x, tol);
    EXPECT_EQ(solution.converged, solution.residual <= tol);
    EXPECT_EQ(solution.converged, tol > 1e-12);
    EXPECT_LT(solution.residual, 1e-12);
    EXPECT_LT(worst_error(p.layout, data_of(p.x)), 1e-12);
  }
  EXPECT_TRUE(says(refusal([&] { lu.solve(p.b, p.x, -1); }), "tol is -1"));
  EXPECT_TRUE(says(refusal([&] { lu.solve(p.b, p.x, std::nan("")); }), "tol is nan"));
  if (processes() > 1) {
    EXPECT_TRUE(says(refusal([&] { lu.solve(p.b, p.x, rank() == 0 ? 1e-8 : 0); }), "different tolerances"));
  }
}

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
  EXPECT_TRUE(says(text, "no more of this"));
  EXPECT_TRUE(says(text, "(rank " + std::to_string(bad) + ")"));
}

TEST(Watch, IsNotAskedWhereNobodyWatches) {
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
    EXPECT_LE(op->asked, solution.iterations + 2);
    EXPECT_LT(worst_error(p.layout, data_of(p.x)), 1e-8);
  }
}

TEST(ForeignOperator, ThatThrowsOnOneProcessFailsAllAndLeavesXAnIterate) {
  for (const Method method : {Method::cg, Method::gmres})
    for (const int when : {0, 1, 4}) {
      Problem p(method == Method::cg ? 0 : 0.9);
      const std::string text =
          refusal([&] { solve(Teuchos::rcp(new Foreign(p.a, when)), Teuchos::null, p.b, p.x, options_of(method)); });
      EXPECT_TRUE(says(text, "matvec failed"));
      EXPECT_TRUE(says(text, "(rank " + std::to_string(processes() - 1) + ")"));
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

TEST(Solve, NamesABreakdownInBelosWords) {
  Problem p;
  const Rows negative = [](Index id) { return Row{{id, id % 2 == 0 ? 1.0 : -1.0 - static_cast<double>(id)}}; };
  const auto a = matrix_of(p.layout, negative);
  const std::string text = refusal([&] { solve(a, Teuchos::null, p.b, p.x, options_of(Method::cg)); });
  EXPECT_TRUE(says(text, "non-positive"));
  EXPECT_TRUE(says(text, "method='gmres'"));
  EXPECT_EQ(text.find(".hpp"), std::string::npos) << text;
  Options options = options_of(Method::gmres);
  EXPECT_TRUE(solve(a, Teuchos::null, p.b, p.x, options).converged);
  // Nothing at all: no method finds an answer.
  const auto none = matrix_of(p.layout, [](Index) { return Row{}; });
  p.x.putScalar(0);
  for (const Method method : {Method::cg, Method::gmres}) {
    SCOPED_TRACE(static_cast<int>(method));
    options.method = method;
    EXPECT_TRUE(says(refusal([&] { solve(none, Teuchos::null, p.b, p.x, options); }), "singular"));
    EXPECT_EQ(p.x.normInf(), 0);
  }
}

TEST(Solve, RefusesWhatOneProcessAloneGetsWrong) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const Index bad : std::set<Index>{0, processes() - 1}) {
    SCOPED_TRACE(bad);
    const bool here = rank() == bad;
    Problem p;
    Vector b(p.b, Teuchos::Copy), x(p.x, Teuchos::Copy);
    const auto refused = [&](const std::function<void(Options&)>& spoil) {
      Options options = options_of(Method::cg);
      if (here) spoil(options);
      return refusal([&] { solve(p.a, Teuchos::null, b, x, options); });
    };
    if (here) data_of(b)[0] = nan;
    EXPECT_TRUE(says(refused([](Options&) {}), "(rank " + std::to_string(bad) + "): local element 0 of b is"));
    EXPECT_TRUE(says(refusal([&] { DirectSolver(p.a).solve(b, x); }), "of b is"));
    if (here) data_of(b)[0] = 1, data_of(x)[0] = inf;
    EXPECT_TRUE(says(refused([](Options&) {}), "of x is inf"));
    if (here) data_of(x)[0] = 0;
    EXPECT_TRUE(says(refusal([&] { solve(here ? Teuchos::null : p.a, Teuchos::null, b, x, options_of(Method::cg)); }),
                     "no matrix"));
    EXPECT_TRUE(says(refusal([&] { solve(p.a, Teuchos::null, b, here ? b : x, options_of(Method::cg)); }),
                     "x shares memory with b"));
    if (processes() == 1) continue;
    for (const auto& spoil : std::vector<std::function<void(Options&)>>{
             [](Options& o) { o.tol = 1e-9; }, [](Options& o) { o.maxiter = 999; },
             [](Options& o) { o.watched = true; }, [](Options& o) { o.method = Method::gmres; },
             [](Options& o) { o.parameters.set("Assert Positive Definiteness", false); }})
      EXPECT_TRUE(says(refused(spoil), "different options"));
  }
}

TEST(Solve, RefusesOptionsThatAreNone) {
  Problem p;
  const auto refused = [&](Method method, const std::function<void(Options&)>& spoil) {
    Options options = options_of(method);
    spoil(options);
    return refusal([&] { solve(p.a, Teuchos::null, p.b, p.x, options); });
  };
  for (const Method method : {Method::cg, Method::gmres}) {
    EXPECT_TRUE(says(refused(method, [](Options& o) { o.tol = -1; }), "tol is -1"));
    EXPECT_TRUE(says(refused(method, [](Options& o) { o.tol = std::nan(""); }), "tol is nan"));
    EXPECT_TRUE(says(refused(method, [](Options& o) { o.maxiter = -1; }), "maxiter is -1"));
    EXPECT_TRUE(says(refused(method, [](Options& o) { o.parameters.set("Num Block", 3); }), "'Num Block' is unknown"));
    EXPECT_TRUE(says(refused(method, [](Options& o) { o.parameters.set("Maximum Iterations", 3); }), "maxiter"));
  }
  EXPECT_TRUE(
      says(refused(Method::cg, [](Options& o) { o.parameters.set("Assert Positive Definiteness", 1); }), "true"));
  EXPECT_TRUE(says(refused(Method::gmres, [](Options& o) { o.parameters.set("Num Blocks", 0); }), "from 1 on"));
  EXPECT_TRUE(says(refused(Method::gmres, [](Options& o) { o.parameters.set("Num Blocks", "3"); }), "from 1 on"));
  EXPECT_TRUE(says(refused(Method::gmres, [](Options& o) { o.parameters.set<std::string>("Orthogonalization", "X"); }),
                   "'ICGS', 'IMGS' or 'DGKS'"));
  EXPECT_TRUE(says(refused(Method::direct, [](Options&) {}), "DirectSolver"));
  for (const std::string kind : {"ICGS", "IMGS", "DGKS"}) {
    Options options = options_of(Method::gmres);
    options.parameters.set("Orthogonalization", kind);
    p.x.putScalar(0);
    expect_good(solve(p.a, Teuchos::null, p.b, p.x, options), 1e-10);
  }
}

TEST(Direct, RefusesSingularMatrices) {
  Problem p;
  const std::vector<Rows> singular = {[](Index) { return Row{}; },
                                      [&](Index id) { return id == 5 ? Row{} : p.rows(id); },
                                      [&](Index id) { return p.rows(id == 5 ? 6 : id); },
                                      [](Index id) {  // the second difference without ends
                                        return Row{{id, 2.0}, {(id + 1) % 169, -1.0}, {(id + 168) % 169, -1.0}};
                                      }};
  for (const Rows& rows : singular) {
    const auto a = matrix_of(p.layout, rows);
    const std::string text = refusal([&] { DirectSolver(a).solve(p.b, p.x); });
    EXPECT_TRUE(says(text, "singular"));
  }
  expect_good(DirectSolver(p.a).solve(p.b, p.x), 1e-12);
  EXPECT_TRUE(says(refusal([] { DirectSolver(Teuchos::null); }), "no matrix"));
}

TEST(Preconditioner, RefusesWhatItDoesNotKnow) {
  Problem p;
  const auto refused = [&](const std::string& name, Method method, const std::string& key, const auto& value) {
    Teuchos::ParameterList list;
    if (!key.empty()) list.set(key, value);
    const std::string text = refusal([&] { make_preconditioner(name, method, p.a, list); });
    return text;
  };
  EXPECT_TRUE(says(refused("jacobi", Method::cg, "", 0), "'muelu' or 'ifpack2'"));
  EXPECT_TRUE(says(refused("muelu", Method::cg, "smother: type", 1), "smother: type"));
  EXPECT_TRUE(says(refused("muelu", Method::cg, "smoother: type", std::string("NONE SUCH")), "MueLu"));
  for (const Method method : {Method::cg, Method::gmres}) {
    EXPECT_TRUE(says(refused("ifpack2", method, "chebyshev: degre", 3), "chebyshev: degre"));
    EXPECT_TRUE(says(refused("ifpack2", method, "type", std::string("NONE SUCH")), "NONE SUCH"));
    EXPECT_TRUE(says(refused("ifpack2", method, "type", 3), "'type' is no text"));
  }
  EXPECT_TRUE(says(refused("ifpack2", Method::cg, "chebyshev: degree", std::string("3")), "chebyshev: degree"));
  EXPECT_TRUE(says(refused("ifpack2", Method::gmres, "fact: iluk level-of-fil", 1), "level-of-fil"));
  EXPECT_TRUE(says(refusal([] { make_preconditioner("muelu", Method::cg, Teuchos::null, {}); }), "no matrix"));
  if (processes() == 1) return;
  EXPECT_TRUE(says(refusal([&] { make_preconditioner(rank() == 0 ? "muelu" : "ifpack2", Method::cg, p.a, {}); }),
                   "different preconditioners"));
  EXPECT_TRUE(says(refusal([&] {
                     Teuchos::ParameterList list;
                     if (rank() == 1) list.set("chebyshev: degree", 5);
                     make_preconditioner("ifpack2", Method::cg, p.a, list);
                   }),
                   "different preconditioners or parameters"));
}

TEST(Preconditioner, TakesParametersOverTheDefaults) {
  Problem p(0, 0);
  const auto iterations = [&](const std::string& name, const Teuchos::ParameterList& list) {
    p.x.putScalar(0);
    const auto m = make_preconditioner(name, Method::cg, p.a, list);
    const Solution solution = solve(p.a, m, p.b, p.x, options_of(Method::cg));
    expect_good(solution, 1e-10);
    return solution.iterations;
  };
  Teuchos::ParameterList one, twelve, relaxation, jacobi;
  one.set("chebyshev: degree", 1);
  twelve.set("chebyshev: degree", 12);
  EXPECT_GT(iterations("ifpack2", one), iterations("ifpack2", {}));
  EXPECT_LT(iterations("ifpack2", twelve), iterations("ifpack2", {}));
  relaxation.set<std::string>("type", "RELAXATION");
  relaxation.set<std::string>("relaxation: type", "Symmetric Gauss-Seidel");
  EXPECT_LT(iterations("ifpack2", relaxation), 45);
  jacobi.set<std::string>("coarse: type", "RELAXATION");  // one sweep, and nothing else
  jacobi.set("max levels", 1);
  EXPECT_GT(iterations("muelu", jacobi), 2 * iterations("muelu", {}));
}

namespace {

struct Fault {
  const char* says;
  std::function<void(Csr&, Arrays&)> make;
};

std::vector<Fault> faults() {
  const Index huge = std::numeric_limits<Index>::max();
  return {
      {"row starts", [](Csr& c, Arrays&) { c.row_starts.count -= 1; }},
      {"row starts", [](Csr& c, Arrays& a) { a.row_starts.push_back(0), c = a.csr(); }},
      {"there are 0 row starts",
       [](Csr& c, Arrays&) {
         c.row_starts = {nullptr, 8, 0};
       }},
      {"no address", [](Csr& c, Arrays&) { c.row_starts.data = nullptr; }},
      {"starts at 1", [](Csr&, Arrays& a) { a.row_starts[0] = 1; }},
      {"must not descend", [](Csr&, Arrays& a) { a.row_starts[1] = -1; }},
      {"must end within", [](Csr&, Arrays& a) { a.row_starts[1] = 1 << 30; }},
      {"must end within", [=](Csr&, Arrays& a) { a.row_starts.back() = huge; }},
      {"must end within", [](Csr& c, Arrays&) { c.count -= 1, c.columns.count -= 1; }},
      {"has column -1,", [](Csr&, Arrays& a) { a.columns[0] = -1; }},
      {"has column 169,", [](Csr&, Arrays& a) { a.columns.back() = 169; }},
      {"has column 9223372036854775807", [=](Csr&, Arrays& a) { a.columns[0] = huge; }},
      {"columns, must be", [](Csr& c, Arrays&) { c.columns.count -= 1; }},
      {"no address", [](Csr& c, Arrays&) { c.columns.data = nullptr; }},
      {"-5 integers", [](Csr& c, Arrays&) { c.columns.count = -5; }},
      {"of 2 bytes", [](Csr& c, Arrays&) { c.columns.bytes = 2; }},
      {"of 16 bytes", [](Csr& c, Arrays&) { c.row_starts.bytes = 16; }},
      {"values are at no address", [](Csr& c, Arrays&) { c.data = nullptr; }},
      {"must be at most 2147483647", [=](Csr& c, Arrays&) { c.count = c.columns.count = Index{1} << 31; }},
      {"-1 values", [](Csr& c, Arrays&) { c.count = -1; }},
      {"must be finite", [](Csr&, Arrays& a) { a.data[0] = std::nan(""); }},
  };
}

}  // namespace

TEST(Matrix, RefusesWhatOneProcessAloneGetsWrong) {
  const Index n = 13;
  const Layout layout(cases(n)[1].part, MPI_COMM_WORLD);
  for (const Fault& fault : faults())
    for (const Index bad : std::set<Index>{0, processes() - 1}) {
      SCOPED_TRACE(std::string(fault.says) + " on rank " + std::to_string(bad));
      Arrays arrays(layout, laplace(n));
      Csr csr = arrays.csr();
      if (rank() == bad) fault.make(csr, arrays);
      const std::string text = refusal([&] { make_matrix(layout, csr); });
      EXPECT_TRUE(says(text, fault.says));
      EXPECT_TRUE(says(text, "(rank " + std::to_string(bad) + ")"));
    }
}

TEST(Matrix, OfListsRefusesColumnsInTheGaps) {
  std::vector<List> lists;  // 10 c - 3, 10 c + 1
  for (Index c = 0; c < processes(); ++c) lists.push_back({10 * c + 1, 10 * c - 3});
  const Layout layout(stamped(oracle::Array({oracle::unstructured(lists, true)})), MPI_COMM_WORLD);
  const Rows good = [](Index id) { return Row{{id, 2.0}, {0, 1.0}}; };  // counted from the smallest index
  EXPECT_EQ(matrix_of(layout, good)->getGlobalNumEntries(), static_cast<std::size_t>(4 * processes() - 1));
  for (const Index gap : {Index{1}, Index{5}, 10 * processes()}) {
    const auto bad = [&](Index id) { return Row{{id, 2.0}, {id == 0 ? gap : id, 1.0}}; };
    EXPECT_TRUE(says(refusal([&] { matrix_of(layout, bad); }), "has column " + std::to_string(gap)));
  }
}

TEST(Matrix, RefusesRowsThatStandTwice) {
  if (processes() == 1) return;
  const std::vector<List> lists(static_cast<std::size_t>(processes()), List{0, 1});
  dap::tpetra::LayoutOptions options;
  options.shared = true;
  const Layout layout(stamped(oracle::Array({oracle::unstructured(lists)})), MPI_COMM_WORLD, options);
  EXPECT_TRUE(says(refusal([&] { matrix_of(layout, [](Index id) { return Row{{id, 1.0}}; }); }), "its row twice"));
}

TEST(Matrix, AddsWhatStandsTwiceAndTakesShortIntegers) {
  const Index n = 13;
  for (const Case& c : cases(n)) {
    SCOPED_TRACE(c.name);
    const Layout layout(c.part, MPI_COMM_WORLD);
    const Rows once = laplace(n, 0.9);
    const Rows halves = [&](Index id) {
      Row row = once(id);
      for (auto& [column, value] : row) value /= 2;
      Row both(row.rbegin(), row.rend());
      both.insert(both.end(), row.begin(), row.end());
      return both;
    };
    Arrays arrays(layout, halves);
    const std::vector<std::int32_t> columns(arrays.columns.begin(), arrays.columns.end()),
        row_starts(arrays.row_starts.begin(), arrays.row_starts.end());
    Csr csr = arrays.csr();
    csr.columns.data = columns.data(), csr.columns.bytes = 4;
    csr.row_starts.data = row_starts.data(), csr.row_starts.bytes = 4;
    const auto a = make_matrix(layout, csr);
    EXPECT_EQ(a->getGlobalNumEntries(), matrix_of(layout, once)->getGlobalNumEntries());
    EXPECT_TRUE(a->getDomainMap()->locallySameAs(*layout.map()));
    EXPECT_TRUE(a->getRangeMap()->locallySameAs(*layout.map()));
    Vector x(layout.map()), y(layout.map());
    const List ids = ids_of(*layout.map());
    for (std::size_t i = 0; i < ids.size(); ++i) data_of(x)[i] = wave(ids[i]);
    a->apply(x, y);
    y.update(-1, right_hand_side(layout, once), 1);
    EXPECT_LT(y.normInf(), 1e-14);
  }
}

TEST(Matrix, CountsColumnsFromTheIndexBase) {
  dap::tpetra::LayoutOptions options = based(100);
  const Layout layout(cases(5)[0].part, MPI_COMM_WORLD, options);
  const auto shifted = [](Index first) { return [first](Index id) { return Row{{id, 2.0}, {first, 1.0}}; }; };
  EXPECT_EQ(matrix_of(layout, shifted(124))->getGlobalNumEntries(), 49U);
  EXPECT_TRUE(says(refusal([&] { matrix_of(layout, shifted(125)); }), "from 100 to below 125"));
  EXPECT_TRUE(says(refusal([&] { matrix_of(layout, shifted(0)); }), "has column 0"));
}

TEST(Matrix, WithoutRowsIsSolvedAtOnce) {
  const Layout layout(stamped(oracle::Array({oracle::block(List(static_cast<std::size_t>(processes()), 0))})),
                      MPI_COMM_WORLD);
  const auto a = matrix_of(layout, laplace(1));
  Vector b(layout.map()), x(layout.map());
  EXPECT_EQ(solve(a, Teuchos::null, b, x, options_of(Method::cg)).iterations, 0);
  EXPECT_EQ(solve(a, Teuchos::null, b, x, options_of(Method::gmres)).iterations, 0);
}

TEST(Matrix, WithoutRowsIsSolvedDirectlyAndNeedsNoPreconditioner) {
  const Layout layout(stamped(oracle::Array({oracle::block(List(static_cast<std::size_t>(processes()), 0))})),
                      MPI_COMM_WORLD);
  const auto a = matrix_of(layout, laplace(1));
  Vector b(layout.map()), x(layout.map());
  const Solution solution = DirectSolver(a).solve(b, x);
  expect_good(solution, 0);
  EXPECT_EQ(solution.residual, 0);
  for (const Method method : {Method::cg, Method::gmres})
    for (const std::string name : {"ifpack2", "muelu"}) {
      SCOPED_TRACE(name);
      expect_good(solve(a, make_preconditioner(name, method, a, {}), b, x, options_of(method)), 0);
    }
}
