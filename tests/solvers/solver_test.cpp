#include "solvers/solver_support.hpp"

#include <functional>
#include <map>
#ifdef TRIDAP_HAVE_MUELU
#include <MueLu_VerboseObject.hpp>
#endif

using namespace solver_test;

TEST(Direct, IsRightOnEveryMapForUnsymmetricMatrices) {
  const Index n = 11;
  for (const Case& c : cases(n)) {
    SCOPED_TRACE(c.name);
    const ArrayMap layout(c.part, MPI_COMM_WORLD);
    const Rows rows = laplace(n, 0.9);
    const auto a = matrix_of(layout, rows);
    const DirectSolver lu(a);
    const Vector b = right_hand_side(layout, rows);
    auto x = tridap::tpetra::import_vector<double>(c.part, layout).vector;
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
Rows coupled(const ArrayMap& layout) {
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

void expect_solved(const tridap::DistArray& part) {
  const ArrayMap layout(part, MPI_COMM_WORLD);
  const Rows rows = coupled(layout);
  const DirectSolver lu(matrix_of(layout, rows));
  auto imported = tridap::tpetra::import_vector<double>(part, layout, tridap::Copy::if_needed).vector;
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
        const tridap::DistArray part = stamped(oracle::Array({oracle::unstructured(lists, true)}));
        expect_solved(part);
        const ArrayMap layout(part, MPI_COMM_WORLD);  // where nothing was copied, the answer stands in the array
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
      tridap::DistArray part = stamped(oracle::Array({axis(p, owned), axis(q, owned + 1)}));
      if (column_major) part.buffer.strides = tridap::column_major_strides(part.buffer.shape, 8);
      expect_solved(part);
    }
}

TEST(Solve, FindsTheAnswerInTheGivenMemory) {
  const Index n = 13;
  for (const Method method : {Method::cg, Method::gmres})
    for (const Case& c : cases(n))
      for (const std::string name : {"", "ifpack2", "muelu"}) {
        SCOPED_TRACE(c.name + " " + name);
        const ArrayMap layout(c.part, MPI_COMM_WORLD);
        const Rows rows = laplace(n, method == Method::cg ? 0 : 0.9);
        const auto a = matrix_of(layout, rows);
        const auto m = name.empty() ? Teuchos::null : make_preconditioner(name, method, a, {});
        auto x = tridap::tpetra::import_vector<double>(c.part, layout).vector;
        x->putScalar(0);
        const Solution solution = solve(a, m, right_hand_side(layout, rows), *x, options_of(method));
        expect_good(solution, 1e-10);
        EXPECT_DOUBLE_EQ(solution.residuals[0], 1);
        EXPECT_LT(worst_error(layout, static_cast<const double*>(c.part.buffer.data)), 1e-8);
        if (!name.empty()) {
          EXPECT_LT(solution.iterations, 40);
        }
      }
}

TEST(Multigrid, IsTheDefault) { EXPECT_STREQ(tridap::solvers::default_preconditioner(), "muelu"); }

TEST(Multigrid, OfSeveralLevelsNeedsFewIterationsOnEveryMap) {
  const Index n = 48;
  for (const Case& c : cases(n)) {
    SCOPED_TRACE(c.name);
    const ArrayMap layout(c.part, MPI_COMM_WORLD);
    for (const Method method : {Method::cg, Method::gmres}) {
      const Rows rows = laplace(n, method == Method::cg ? 0 : 0.1);
      const auto a = matrix_of(layout, rows);
      Vector x(layout.map());
      const Solution solution =
          solve(a, make_preconditioner("muelu", method, a), right_hand_side(layout, rows), x, options_of(method));
      expect_good(solution, 1e-10);
      EXPECT_LT(solution.iterations, 30);
      EXPECT_LT(worst_error(layout, data_of(x)), 1e-7);
    }
  }
}

#ifdef TRIDAP_HAVE_MUELU
TEST(Multigrid, TakesSmoothersOfItsUsersWithEitherScaling) {
  const Problem p;
  const auto iterations = [&](const std::function<void(Teuchos::ParameterList&)>& change) {
    Teuchos::ParameterList parameters;
    parameters.set("coarse: max size", 5);
    change(parameters);
    Vector x(p.layout.map());
    const auto made = make_preconditioner("muelu", Method::cg, p.a, parameters);
    const Solution solution = solve(p.a, made, p.b, x, options_of(Method::cg));
    expect_good(solution, 1e-10);
    return solution.iterations;
  };
  const char* const row_sums = "chebyshev: use rowsumabs diagonal scaling";
  const auto chebyshev = [&](Teuchos::ParameterList& list, double eigenvalue, bool sums) {
    list.set("smoother: type", "CHEBYSHEV");
    list.sublist("smoother: params").set("chebyshev: max eigenvalue", eigenvalue);
    if (sums) list.sublist("smoother: params").set(row_sums, true);
  };
  EXPECT_LT(iterations([&](auto& list) { chebyshev(list, 0.99, true); }), 40);
  EXPECT_LT(iterations([&](auto& list) { chebyshev(list, 2.0, false); }), 40);
  EXPECT_LT(iterations([&](auto& list) { chebyshev(list.sublist("level 1"), 2.0, false); }), 40);
  EXPECT_LT(iterations([&](auto& list) {
              chebyshev(list, 2.0, false);
              chebyshev(list.sublist("level 1"), 0.99, true);
            }),
            40);
  EXPECT_LT(iterations([&](auto& list) { list.set("sa: use rowsumabs diagonal scaling", false); }), 40);
}

TEST(Multigrid, LeavesMueLusLevelOfOutput) {
  using MueLu::VerboseObject;
  const Problem p;
  const MueLu::VerbLevel before = VerboseObject::GetDefaultVerbLevel();
  for (const MueLu::VerbLevel level : {MueLu::VerbLevel(MueLu::Low), MueLu::VerbLevel(MueLu::Extreme)}) {
    VerboseObject::SetDefaultVerbLevel(level);
    testing::internal::CaptureStdout();
    const auto m = make_preconditioner("muelu", Method::cg, p.a);
    Vector z(p.layout.map());
    m->apply(p.b, z);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(VerboseObject::GetDefaultVerbLevel(), level);
    Teuchos::ParameterList misspelt;
    misspelt.set("smother: type", "x");
    expect_refused([&] { make_preconditioner("muelu", Method::cg, p.a, misspelt); }, "smother: type");
    EXPECT_EQ(VerboseObject::GetDefaultVerbLevel(), level);
  }
  VerboseObject::SetDefaultVerbLevel(before);
}
#endif

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
  expect_refused([&] { lu.solve(p.b, p.x, -1); }, "tol is -1");
  expect_refused([&] { lu.solve(p.b, p.x, std::nan("")); }, "tol is nan");
  if (processes() > 1) {
    expect_refused([&] { lu.solve(p.b, p.x, rank() == 0 ? 1e-8 : 0); }, "different tolerances");
    expect_refused([&] { lu.solve(p.b, p.x, 0, rank() == 0 ? 1e-8 : 0); }, "different tolerances");
  }
}

TEST(Direct, IsConvergedAtTheAbsoluteTolerance) {
  Problem p(0.9);
  const DirectSolver lu(p.a);
  EXPECT_FALSE(lu.solve(p.b, p.x, 0).converged);
  EXPECT_TRUE(lu.solve(p.b, p.x, 0, p.b.norm2()).converged);
}
