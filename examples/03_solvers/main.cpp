// Three solvers of Trilinos use one right-hand side, a distributed array: conjugate gradients with algebraic multigrid
// (without MueLu: Chebyshev polynomials), GMRES with an incomplete LU of each process's part, and a direct LU. Each
// reads the array's own memory, and writes its solution to the memory of another array.
//
//   mpiexec -n 4 03_solvers [--size N]
//
// Prints for each solver the iterations, the true residual and the distance from the first solution, and what was
// copied (0 bytes). Exits non-zero if a residual is over 1e-10 of the right-hand side, or two solutions differ by over
// 1e-9.

#include "support/arrays.hpp"
#include "support/diffusion.hpp"
#include "support/program.hpp"
#include <tridap/compare.hpp>
#include <tridap/solvers/solve.hpp>
#include <tridap/tpetra.hpp>

namespace {

namespace solvers = tridap::solvers;

struct Solver {
  std::string name;
  solvers::Method method;
  const char* preconditioner;
};

solvers::Solution solve_with(const Solver& solver, const Teuchos::RCP<const solvers::CrsMatrix>& matrix,
                             const solvers::MultiVector& b, solvers::MultiVector& x) {
  solvers::Options options;
  options.method = solver.method;
  options.tol = 1e-12;
  if (solver.method == solvers::Method::direct) return solvers::DirectSolver(matrix).solve(b, x, options.tol);
  const auto preconditioner = solvers::make_preconditioner(solver.preconditioner, solver.method, matrix);
  return solvers::solve(matrix, preconditioner, b, x, options);
}

void solve(int size, examples::Claims& claims) {
  // 1. The right-hand side: rows in blocks, columns block-cyclic with blocks of 8.
  const std::vector<tridap::AxisSpec> specs{tridap::block(), tridap::cyclic(8)};
  const auto distribution =
      tridap::Distribution::make({size, size}, specs, tridap::default_grid(claims.processes(), specs));
  const tridap::DistArray b = examples::make_array(distribution, claims.process());
  examples::fill(b, [](double i, double j) { return std::sin(0.1 * i) + std::cos(0.07 * j); });

  // 2. The array as a vector, and the matrix (I - 100 Laplace) on the same map.
  const tridap::tpetra::ArrayMap layout(b, claims.comm());
  const auto right_hand_side = tridap::tpetra::import_vector<double>(b, layout);
  claims.note(right_hand_side.receipt, b.buffer.data, right_hand_side.vector->getData().getRawPtr());
  const auto matrix = examples::five_point_matrix(layout.map(), size, size, 100, 100);
  claims.say("problem   %d x %d unknowns, %s", size, size, tridap::describe(distribution).c_str());

  // 3. Three solutions, each in its own array.
  std::vector<tridap::tpetra::ImportedVector<double>> answers;
  double worst_residual = 0, worst_difference = 0;
  const char* const multigrid = solvers::default_preconditioner();
  const Solver chosen[] = {{std::string("cg + ") + multigrid, solvers::Method::cg, multigrid},
                           {"gmres + riluk", solvers::Method::gmres, "riluk"},
                           {"direct", solvers::Method::direct, ""}};
  for (const Solver& solver : chosen) {
    const tridap::DistArray x = examples::make_array(distribution, claims.process());
    answers.push_back(tridap::tpetra::import_vector<double>(x, layout));
    const auto& answer = answers.back();
    const solvers::Solution solution = solve_with(solver, matrix, *right_hand_side.vector, *answer.vector);
    claims.note(answer.receipt, x.buffer.data, tridap::tpetra::export_array(answer.vector, layout).array.buffer.data);

    tridap::tpetra::Vector<double> difference(*answers.front().vector, Teuchos::Copy);
    const double scale = difference.normInf();
    difference.update(-1, *answer.vector, 1);
    const double apart = difference.normInf() / scale;
    claims.say("solver    %-14s %3d iterations, residual %.1e, %.1e from the first solution", solver.name.c_str(),
               solution.iterations, solution.residual, apart);
    worst_residual = examples::worst(worst_residual, solution.residual);
    worst_difference = examples::worst(worst_difference, apart);
  }

  // 4. Throws if a claim does not hold.
  claims.say("memory    %s", claims.copies().c_str());
  claims.require_no_copies();
  claims.require(worst_residual <= 1e-10, "a residual is too large");
  claims.require(worst_difference <= 1e-9, "the solutions differ");
}

}  // namespace

int main(int argc, char** argv) {
  int size = 120;
  return examples::run(argc, argv, "Three solvers use one distributed array as their right-hand side, without a copy.",
                       {{"--size", "unknowns along each axis", &size}},
                       [&](examples::Claims& claims) { solve(size, claims); });
}
