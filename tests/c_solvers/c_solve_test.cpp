#include "c_solvers/laplace.hpp"

#include <Kokkos_Core.hpp>

#include <string>
#include <vector>

using namespace laplace;

TEST(CSolve, EachMethodAndPreconditionerFindsTheAnswer) {
  const char* const methods[][2] = {{"cg", nullptr},    {"cg", "muelu"},      {"cg", "ifpack2"},
                                    {"gmres", nullptr}, {"gmres", "schwarz"}, {"bicgstab", nullptr},
                                    {"direct", ""},     {nullptr, nullptr},   {"pseudoblock tfqmr", nullptr}};
  for (const tridap_order order : {TRIDAP_ROW_MAJOR, TRIDAP_COLUMN_MAJOR})
    for (const auto& [method, preconditioner] : methods) {
      SCOPED_TRACE(method == nullptr ? "default" : method);
      const bool symmetric = method == nullptr || std::string(method) == "cg";
      Case system({order, 1, symmetric ? 0 : 0.3});
      tridap_solve_options options{};
      options.method = method;
      options.preconditioner = preconditioner;
      options.tol = 1e-11;
      system.solve(options);
    }
}

TEST(CSolve, CopiesPaddedFieldsOnlyIfItMay) {
  Case system({}, 1);
  tridap_solve_options options{};
  options.tol = 1e-11;
  if (c::processes() == 4) {  // padding on both axes
    EXPECT_REFUSED(tridap_solve(system.a, system.b.array, system.x.array, &options, nullptr),
                   "pass copy = TRIDAP_COPY_IF_NEEDED");
  }
  options.copy = TRIDAP_COPY_IF_NEEDED;
  tridap_solution solution{};
  OK(tridap_solve(system.a, system.b.array, system.x.array, &options, &solution));
  std::int64_t count = 0;
  OK(tridap_count(system.b.layout, TRIDAP_HERE, TRIDAP_INTERIOR, &count));
  if (solution.receipt.shared == 0) {
    EXPECT_EQ(solution.receipt.bytes_copied, 3 * 8 * count);  // b, the first guess, the answer
  }
  EXPECT_LT(system.of.worst_error(system.x), 1e-8);
  std::int64_t untouched = 0;
  for (const double element : system.x.memory) untouched += element == -7;
  EXPECT_EQ(untouched, static_cast<std::int64_t>(system.x.memory.size()) - count);
}

TEST(CSolve, SeveralRightHandSidesAreSolvedAtOnce) {
  for (const tridap_order order : {TRIDAP_ROW_MAJOR, TRIDAP_COLUMN_MAJOR}) {
    Case system({order, 0, 0}, 0, 3);
    double each[3] = {-1, -1, -1};
    tridap_solve_options options{};
    options.tol = 1e-11;
    options.each = each;
    options.each_size = 3;
    system.solve(options);
    for (const double residual : each) {
      EXPECT_GE(residual, 0);
      EXPECT_LE(residual, 1e-10);
    }
  }
}

TEST(CSolve, APreconditionerIsMadeOnceAndUsedForManySolves) {
  Case system;
  tridap_preconditioner made{};
  tridap_preconditioner_options how{};
  how.parameters = "max levels=2; smoother: type=RELAXATION\nsmoother: params/relaxation: type=Symmetric Gauss-Seidel";
  OK(tridap_preconditioner_make(system.a, "muelu", &how, &made));
  tridap_solve_options options{};
  options.made = made;
  options.tol = 1e-11;
  system.solve(options);
  system.x.fill(0);
  system.solve(options);
  OK(tridap_release(made.number));
  EXPECT_REFUSED(tridap_solve(system.a, system.b.array, system.x.array, &options, nullptr), "is not in use");
}

TEST(CSolve, AFunctionOfTheProgramPreconditions) {
  Case system;
  std::int64_t count = 0;
  OK(tridap_count(system.b.layout, TRIDAP_HERE, TRIDAP_INTERIOR, &count));
  const tridap_apply divide = [](void* user, const double* x, double* y) {
    for (std::int64_t k = 0; k < *static_cast<std::int64_t*>(user); ++k) y[k] = x[k] / 4.5;
    return 0;
  };
  tridap_preconditioner made{};
  OK(tridap_preconditioner_of(system.b.layout, TRIDAP_ROW_MAJOR, divide, &count, &made));
  tridap_solve_options options{};
  options.made = made;
  options.tol = 1e-11;
  system.solve(options);
  OK(tridap_release(made.number));
}

TEST(CSolve, AWatchSeesEachResidualAndEndsTheIteration) {
  struct Seen {
    std::vector<double> residuals;
    int stop_at;
  };
  const auto watch = [](void* user, int iteration, double residual) {
    auto& seen = *static_cast<Seen*>(user);
    seen.residuals.push_back(residual);
    return iteration >= seen.stop_at ? 1 : 0;
  };
  Case system;
  Seen seen{{}, 1000};
  std::vector<double> residuals(200);
  tridap_solve_options options{};
  options.watch = watch;
  options.user = &seen;
  options.residuals = residuals.data();
  options.residual_size = 200;
  tridap_solution solution{};
  OK(tridap_solve(system.a, system.b.array, system.x.array, &options, &solution));
  EXPECT_EQ(solution.converged, 1);
  EXPECT_EQ(solution.residual_count, solution.iterations + 1);
  ASSERT_EQ(static_cast<std::int64_t>(seen.residuals.size()), solution.residual_count);
  for (std::size_t i = 0; i < seen.residuals.size(); ++i) EXPECT_NEAR(seen.residuals[i], residuals[i], 1e-12);
  system.x.fill(0);
  Seen stopping{{}, rank() == c::processes() - 1 ? 3 : 1000};  // one process is enough
  options.user = &stopping;
  OK(tridap_solve(system.a, system.b.array, system.x.array, &options, &solution));
  EXPECT_EQ(solution.stopped, 1);
  EXPECT_EQ(solution.converged, 0);
  EXPECT_EQ(solution.iterations, 3);
}

TEST(CSolve, ParametersAreTextOrXml) {
  for (const char* const parameters :
       {"Num Blocks=5; Orthogonalization=IMGS", " Num Blocks = 5 \n\n Orthogonalization=\"IMGS\"",
        "<ParameterList><Parameter name=\"Num Blocks\" type=\"int\" value=\"5\"/></ParameterList>"}) {
    Case system({TRIDAP_ROW_MAJOR, 0, 0.3});
    tridap_solve_options options{};
    options.method = "gmres";
    options.tol = 1e-11;
    options.parameters = parameters;
    system.solve(options);
  }
  Case system;
  tridap_solve_options options{};
  const auto refused = [&](const char* parameters, const char* part) {
    options.parameters = parameters;
    EXPECT_REFUSED(tridap_solve(system.a, system.b.array, system.x.array, &options, nullptr), part);
  };
  refused("Num Blocks", "'parameters' is 'Num Blocks', must be name=value");
  refused("=3", "must have a name");
  refused("Num Blokcs=50", "Num Blokcs");
  refused("Num Blocks=5000000000", "must fit 32 bits");
  refused("<ParameterList>", "must be a ParameterList of Teuchos in XML");
}

TEST(CSolve, WrongArgumentsAreRefusedInWordsOfC) {
  Case system;
  tridap_solve_options options{};
  const auto refused = [&](const char* part) {
    EXPECT_REFUSED(tridap_solve(system.a, system.b.array, system.x.array, &options, nullptr), part);
    options = {};
  };
  options.method = "bicgstba";
  refused("did you mean 'BICGSTAB'?");
  options.preconditioner = "mulu";
  refused("muelu");
  options.tol = -1;
  refused("'tol' is -1, must be a number >= 0");
  options.maxiter = -1;
  refused("'maxiter' is -1");
  options.copy = static_cast<tridap_copy>(3);
  refused("'copy' is 3, must be one of tridap_copy");
  options.method = "direct";
  options.preconditioner = "muelu";
  refused("'preconditioner' is 'muelu', but method 'direct' takes none");
  options.preconditioner_parameters = "a=1";
  refused("but there is no preconditioner");
  const Vector other({12, 10}, 0, TRIDAP_ROW_MAJOR);
  EXPECT_REFUSED(tridap_solve(system.a, other.array, system.x.array, nullptr, nullptr), "b has");
}

TEST(CSolve, ZeroIsAnOptionToo) {
  Case system;
  for (double& element : system.x.memory) element = 0.5;
  tridap_solve_options options{};
  options.maxiter = TRIDAP_ZERO;
  tridap_solution solution{};
  OK(tridap_solve(system.a, system.b.array, system.x.array, &options, &solution));
  EXPECT_EQ(solution.iterations, 0);
  EXPECT_EQ(solution.converged, 0);
  EXPECT_GT(solution.residual, 0);
  for (const double element : system.x.memory) EXPECT_EQ(element, 0.5);
  options.maxiter = 3;
  options.tol = TRIDAP_ZERO;
  OK(tridap_solve(system.a, system.b.array, system.x.array, &options, &solution));
  EXPECT_EQ(solution.iterations, 3);
}

TEST(CSolve, AtolAloneIsTheTolerance) {
  Case system;
  tridap_solve_options options{};
  options.atol = 1e-3;
  tridap_solution solution{};
  OK(tridap_solve(system.a, system.b.array, system.x.array, &options, &solution));
  double norm = 0;
  OK(tridap_norm(system.b.array, &norm));
  EXPECT_EQ(solution.converged, 1);
  EXPECT_LE(solution.residual * norm, 1e-3);
  EXPECT_GT(solution.residual * norm, 1e-8 * norm);
}

TEST(CSolve, MessagesSpeakC) {
  const auto expect_refused = [](int status, const char* part) {
    const std::string text = tridap_message();
    EXPECT_NE(status, TRIDAP_OK);
    EXPECT_NE(text.find(part), std::string::npos) << text;
    for (const char* const word : {"Python", "tridap::", "tridap.", "astype", "DistArray", "SciPy", "copy="})
      EXPECT_EQ(text.find(word), std::string::npos) << text;
  };
  Case system;
  tridap_array single{}, turned{};
  OK(tridap_allocate(system.b.layout, TRIDAP_FLOAT32, TRIDAP_ROW_MAJOR, &single));
  OK(tridap_allocate(system.b.layout, TRIDAP_FLOAT64, TRIDAP_COLUMN_MAJOR, &turned));
  expect_refused(tridap_solve(system.a, single, system.x.array, nullptr, nullptr), "float32");
  if (c::processes() == 1) {
    expect_refused(tridap_solve(system.a, turned, system.x.array, nullptr, nullptr), "TRIDAP_COPY_IF_NEEDED");
  }
  const Vector other({12, 10}, 0, TRIDAP_ROW_MAJOR);
  expect_refused(tridap_solve(system.a, other.array, system.x.array, nullptr, nullptr), "tridap_allocate");
  const tridap_distribution cyclic = c::distributed({12, 9}, "c,c");
  tridap_array dealt{};
  OK(tridap_allocate(cyclic, TRIDAP_FLOAT64, TRIDAP_ROW_MAJOR, &dealt));
  if (c::processes() > 1) {
    expect_refused(tridap_solve(system.a, dealt, system.x.array, nullptr, nullptr), "move it to the distribution");
  }
  expect_refused(tridap_solve(system.a, system.x.array, system.x.array, nullptr, nullptr), "x shares memory with b");
  for (const std::uint64_t number : {single.number, turned.number, dealt.number, cyclic.number})
    OK(tridap_release(number));
}

TEST(CSolve, IsOneRegionOfKokkos) {
  static std::vector<std::string> names;
  names.clear();
  Kokkos::Tools::Experimental::set_push_region_callback([](const char* name) {
    if (std::string(name).rfind("tridap::", 0) == 0) names.emplace_back(name);
  });
  Case system;
  tridap_solve_options options{};
  OK(tridap_trace(1));
  OK(tridap_solve(system.a, system.b.array, system.x.array, &options, nullptr));
  OK(tridap_trace(0));
  OK(tridap_solve(system.a, system.b.array, system.x.array, &options, nullptr));
  Kokkos::Tools::Experimental::set_push_region_callback(nullptr);
  EXPECT_EQ(names, std::vector<std::string>{"tridap::solvers::solve"});
}
