#include "solvers/solver_support.hpp"
#include "support/comma_locale.hpp"

#include <limits>
#include <optional>
#include <set>

using namespace solver_test;

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
    expect_says(refused([](Options&) {}), "(rank " + std::to_string(bad) + "): local element 0 of b is");
    expect_refused([&] { DirectSolver(p.a).solve(b, x); }, "of b is");
    if (here) data_of(b)[0] = 1, data_of(x)[0] = inf;
    expect_says(refused([](Options&) {}), "of x is inf");
    if (here) data_of(x)[0] = 0;
    expect_refused([&] { solve(here ? Teuchos::null : p.a, Teuchos::null, b, x, options_of(Method::cg)); },
                   "the matrix is null");
    expect_refused([&] { solve(p.a, Teuchos::null, b, here ? b : x, options_of(Method::cg)); },
                   "x shares memory with b");
    if (processes() == 1) continue;
    for (const auto& spoil : std::vector<std::function<void(Options&)>>{
             [](Options& o) { o.tol = 1e-9; }, [](Options& o) { o.maxiter = 999; },
             [](Options& o) { o.watched = true; }, [](Options& o) { o.method = Method::gmres; },
             [](Options& o) { o.atol = 1e-9; }, [](Options& o) { o.measured = false; },
             [](Options& o) { o.parameters.set("Assert Positive Definiteness", false); }})
      expect_says(refused(spoil), "the processes have different options");
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
    expect_says(refused(method, [](Options& o) { o.tol = -1; }), "tol is -1");
    expect_says(refused(method, [](Options& o) { o.tol = std::nan(""); }), "tol is nan");
    expect_says(refused(method, [](Options& o) { o.maxiter = -1; }), "maxiter is -1");
    expect_says(refused(method, [](Options& o) { o.parameters.set("Num Block", 3); }), "'Num Block' is unknown");
    expect_says(refused(method, [](Options& o) { o.parameters.set("Maximum Iterations", 3); }), "maxiter");
  }
  expect_says(refused(Method::cg, [](Options& o) { o.parameters.set("Assert Positive Definiteness", 1); }),
              "type bool");
  expect_says(refused(Method::gmres, [](Options& o) { o.parameters.set("Num Blocks", 0); }),
              "must be strictly positive");
  expect_says(refused(Method::gmres, [](Options& o) { o.parameters.set("Num Blocks", "3"); }), "must be of type int");
  expect_says(refused(Method::gmres, [](Options& o) { o.parameters.set<std::string>("Orthogonalization", "X"); }),
              "DGKS");
  expect_says(refused(Method::direct, [](Options&) {}), "DirectSolver");
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
    expect_says(text, "singular");
  }
  expect_good(DirectSolver(p.a).solve(p.b, p.x), 1e-12);
  expect_refused([] { DirectSolver{Teuchos::null}; }, "the matrix is null");
}

TEST(Preconditioner, RefusesWhatItDoesNotKnow) {
  Problem p;
  const auto refused = [&](const std::string& name, Method method, const std::string& key, const auto& value) {
    Teuchos::ParameterList list;
    if (!key.empty()) list.set(key, value);
    const std::string text = refusal([&] { make_preconditioner(name, method, p.a, list); });
    return text;
  };
  expect_says(refused("jacobi", Method::cg, "", 0), "'preconditioner' is 'jacobi', must be 'muelu', 'ifpack2'");
  expect_says(refused("rilu", Method::cg, "", 0), "did you mean 'riluk'?");
  expect_says(refused("muelu", Method::cg, "smother: type", 1), "smother: type");
  expect_says(refused("muelu", Method::cg, "smoother: type", std::string("NONE SUCH")), "MueLu");
  for (const Method method : {Method::cg, Method::gmres}) {
    expect_says(refused("ifpack2", method, "chebyshev: degre", 3), "chebyshev: degre");
    expect_says(refused("ifpack2", method, "type", std::string("NONE SUCH")), "NONE SUCH");
    expect_says(refused("ifpack2", method, "type", 3), "'type' is not a string");
  }
  expect_says(refused("ifpack2", Method::cg, "chebyshev: degree", std::string("3")), "chebyshev: degree");
  expect_says(refused("ifpack2", Method::gmres, "fact: iluk level-of-fil", 1), "level-of-fil");
  expect_refused([] { make_preconditioner("muelu", Method::cg, Teuchos::null, {}); }, "the matrix is null");
}

TEST(Preconditioner, RefusesOptionsThatDifferBetweenProcesses) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  Problem p;
  expect_refused([&] { make_preconditioner(rank() == 0 ? "muelu" : "ifpack2", Method::cg, p.a, {}); },
                 "different preconditioners");
  expect_refused(
      [&] {
        Teuchos::ParameterList list;
        if (rank() == 1) list.set("chebyshev: degree", 5);
        make_preconditioner("ifpack2", Method::cg, p.a, list);
      },
      "different preconditioners or parameters");
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
      {"at a null address", [](Csr& c, Arrays&) { c.row_starts.data = nullptr; }},
      {"starts at 1", [](Csr&, Arrays& a) { a.row_starts[0] = 1; }},
      {"must not descend", [](Csr&, Arrays& a) { a.row_starts[1] = -1; }},
      {"must not end after", [](Csr&, Arrays& a) { a.row_starts[1] = 1 << 30; }},
      {"must not end after", [=](Csr&, Arrays& a) { a.row_starts.back() = huge; }},
      {"must not end after", [](Csr& c, Arrays&) { c.count -= 1, c.columns.count -= 1; }},
      {"has column -1,", [](Csr&, Arrays& a) { a.columns[0] = -1; }},
      {"has column 169,", [](Csr&, Arrays& a) { a.columns.back() = 169; }},
      {"has column 9223372036854775807", [=](Csr&, Arrays& a) { a.columns[0] = huge; }},
      {"columns, must be", [](Csr& c, Arrays&) { c.columns.count -= 1; }},
      {"at a null address", [](Csr& c, Arrays&) { c.columns.data = nullptr; }},
      {"-5 integers", [](Csr& c, Arrays&) { c.columns.count = -5; }},
      {"of 2 bytes", [](Csr& c, Arrays&) { c.columns.bytes = 2; }},
      {"of 16 bytes", [](Csr& c, Arrays&) { c.row_starts.bytes = 16; }},
      {"values are at a null address", [](Csr& c, Arrays&) { c.data = nullptr; }},
      {"must be at most 2147483647", [=](Csr& c, Arrays&) { c.count = c.columns.count = Index{1} << 31; }},
      {"-1 values", [](Csr& c, Arrays&) { c.count = -1; }},
      {"must be finite", [](Csr&, Arrays& a) { a.data[0] = std::nan(""); }},
  };
}

}  // namespace

TEST(Matrix, RefusesWhatOneProcessAloneGetsWrong) {
  const Index n = 13;
  const ArrayMap layout(cases(n)[1].part, MPI_COMM_WORLD);
  for (const Fault& fault : faults())
    for (const Index bad : std::set<Index>{0, processes() - 1}) {
      SCOPED_TRACE(std::string(fault.says) + " on rank " + std::to_string(bad));
      Arrays arrays(layout, laplace(n));
      Csr csr = arrays.csr();
      if (rank() == bad) fault.make(csr, arrays);
      const std::string text = refusal([&] { make_matrix(layout, csr); });
      expect_says(text, fault.says);
      expect_says(text, "(rank " + std::to_string(bad) + ")");
    }
}

TEST(Matrix, OfListsRefusesColumnsInTheGaps) {
  std::vector<List> lists;  // 10 c - 3, 10 c + 1
  for (Index c = 0; c < processes(); ++c) lists.push_back({10 * c + 1, 10 * c - 3});
  const ArrayMap layout(stamped(oracle::Array({oracle::unstructured(lists, true)})), MPI_COMM_WORLD);
  const Rows good = [](Index id) { return Row{{id, 2.0}, {0, 1.0}}; };  // counted from the smallest index
  EXPECT_EQ(matrix_of(layout, good)->getGlobalNumEntries(), static_cast<std::size_t>(4 * processes() - 1));
  for (const Index gap : {Index{1}, Index{5}, 10 * processes()}) {
    const auto bad = [&](Index id) { return Row{{id, 2.0}, {id == 0 ? gap : id, 1.0}}; };
    expect_refused([&] { matrix_of(layout, bad); }, "has column " + std::to_string(gap));
  }
}

TEST(Matrix, RefusesRowsOnSeveralProcesses) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  const std::vector<List> lists(static_cast<std::size_t>(processes()), List{0, 1});
  tridap::tpetra::ArrayMapOptions options;
  options.shared = true;
  const ArrayMap layout(stamped(oracle::Array({oracle::unstructured(lists)})), MPI_COMM_WORLD, options);
  expect_refused([&] { matrix_of(layout, [](Index id) { return Row{{id, 1.0}}; }); }, "its row twice");
}

TEST(Matrix, AddsRepeatedEntriesAndTakes32BitIntegers) {
  const Index n = 13;
  for (const Case& c : cases(n)) {
    SCOPED_TRACE(c.name);
    const ArrayMap layout(c.part, MPI_COMM_WORLD);
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
  tridap::tpetra::ArrayMapOptions options = based(100);
  const ArrayMap layout(cases(5)[0].part, MPI_COMM_WORLD, options);
  const auto shifted = [](Index first) { return [first](Index id) { return Row{{id, 2.0}, {first, 1.0}}; }; };
  EXPECT_EQ(matrix_of(layout, shifted(124))->getGlobalNumEntries(), 49U);
  expect_refused([&] { matrix_of(layout, shifted(125)); }, "at least 100 and less than 125");
  expect_refused([&] { matrix_of(layout, shifted(0)); }, "has column 0");
}

TEST(Matrix, WithoutRowsIsSolvedAtOnceByEachMethod) {
  const ArrayMap layout(stamped(oracle::Array({oracle::block(List(static_cast<std::size_t>(processes()), 0))})),
                        MPI_COMM_WORLD);
  const auto a = matrix_of(layout, laplace(1));
  Vector b(layout.map()), x(layout.map());
  const Solution solution = DirectSolver(a).solve(b, x);
  expect_good(solution, 0);
  EXPECT_EQ(solution.residual, 0);
  for (const Method method : {Method::cg, Method::gmres})
    for (const std::string name : {"", "ifpack2", "muelu"}) {
      SCOPED_TRACE(name);
      const auto m = name.empty() ? Teuchos::null : make_preconditioner(name, method, a, {});
      const Solution found = solve(a, m, b, x, options_of(method));
      expect_good(found, 0);
      EXPECT_EQ(found.iterations, 0);
    }
}

TEST(Solve, RefusesVectorsThatOverlapInPart) {
  using Dual = Vector::dual_view_type;
  Problem p;
  const std::size_t rows = p.b.getLocalLength();
  const Dual memory("b and x", rows + 1, 1);
  const auto part = [&](std::size_t first) {
    return Vector(p.b.getMap(), Dual(Kokkos::subview(memory, std::make_pair(first, first + rows), Kokkos::ALL())));
  };
  const Vector b = part(0);
  Vector x = part(1);
  const std::string text = refusal([&] { solve(p.a, Teuchos::null, b, x, options_of(Method::cg)); });
  EXPECT_TRUE(says(text, "x shares memory with b")) << text;
}

TEST(Solve, NamesTheVectorAndTheElementThatIsNotFinite) {
  Problem p;
  tridap::solvers::MultiVector b(p.b.getMap(), 2), x(p.b.getMap(), 2);
  b.putScalar(1);
  const int bad = static_cast<int>(processes()) - 1;
  if (rank() == bad) b.getDataNonConst(1)[0] = std::numeric_limits<double>::infinity();
  const std::string where = "(rank " + std::to_string(bad) + "): local element 0 of vector 1 of b is inf";
  expect_refused([&] { solve(p.a, Teuchos::null, b, x, options_of(Method::cg)); }, where);
  expect_refused([&] { DirectSolver(p.a).solve(b, x); }, where);
}

TEST(Solve, OptionsAndErrorsAreTheSameInEachLocale) {
  Problem p(0.3);
  std::optional<CommaLocale> comma;
  if (rank() == 0) comma.emplace();
  Index missing = rank() == 0 && !comma->is_set() ? 1 : 0;
  MPI_Bcast(&missing, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  if (missing != 0) GTEST_SKIP() << CommaLocale::reason;
  Options options = options_of(Method::gmres);
  options.maxiter = 1234;
  options.parameters.set("Num Blocks", 1200);
  expect_good(solve(p.a, make_preconditioner("ifpack2", Method::gmres, p.a, {}), p.b, p.x, options), 1e-10);
  DirectSolver(p.a).solve(p.b, p.x, 0.5, 0.25);
  options.tol = -0.5;
  expect_refused([&] { solve(p.a, Teuchos::null, p.b, p.x, options); }, "tol is -0.5");
}
