// One right-hand side, a distributed array, and three solvers of Trilinos: conjugate gradients with algebraic multigrid
// (without MueLu: Chebyshev polynomials), GMRES with an incomplete LU of each process's part, and a direct LU. Each
// works on the array's own memory, and leaves its answer in that of another array.
//
//   mpiexec -n 4 03_solvers [--size N]
//
// Prints the iterations and the true residual of each, how far its answer is from the first one's, and what was copied
// (0 bytes); exits non-zero where a residual is over 1e-10 of the right-hand side, or the answers differ by over 1e-9.

#include "support/arrays.hpp"
#include "support/diffusion.hpp"
#include "support/program.hpp"
#include "support/solver.hpp"
#include <tridap/compare.hpp>
#include <tridap/tpetra.hpp>

namespace {

void solve(int size, examples::Claims& claims) {
  // 1. The right-hand side: rows in blocks, columns dealt in blocks of 8.
  const std::vector<tridap::AxisSpec> specs{tridap::block(), tridap::cyclic(8)};
  const auto distribution =
      tridap::Distribution::make({size, size}, specs, tridap::default_grid(claims.processes(), specs));
  const tridap::DistArray b = examples::make_array(distribution, claims.process());
  examples::fill(b, [](double i, double j) { return std::sin(0.1 * i) + std::cos(0.07 * j); });

  // 2. As a vector; (I - 100 Laplace) on the same map.
  const tridap::tpetra::ArrayMap layout(b, claims.comm());
  const auto right_hand_side = tridap::tpetra::import_vector<double>(b, layout);
  claims.note(right_hand_side.receipt, b.buffer.data, right_hand_side.vector->getData().getRawPtr());
  const auto matrix = examples::five_point_matrix(layout.map(), size, size, 100, 100);
  claims.say("problem   %d x %d unknowns, %s", size, size, tridap::describe(distribution).c_str());

  // 3. Three answers, each in an array of its own.
  std::vector<tridap::tpetra::ImportedVector<double>> answers;
  double worst_residual = 0, worst_difference = 0;
  for (const auto method : {examples::Method::cg, examples::Method::gmres, examples::Method::direct}) {
    const examples::Solver solver(matrix, method);
    const tridap::DistArray x = examples::make_array(distribution, claims.process());
    answers.push_back(tridap::tpetra::import_vector<double>(x, layout));
    const auto& answer = answers.back();
    const examples::Solution solution = solver.solve(*right_hand_side.vector, *answer.vector);
    claims.note(answer.receipt, x.buffer.data, tridap::tpetra::export_array(answer.vector, layout).array.buffer.data);

    tridap::tpetra::Vector<double> difference(*answers.front().vector, Teuchos::Copy);
    const double scale = difference.normInf();
    difference.update(-1, *answer.vector, 1);
    const double apart = difference.normInf() / scale;
    claims.say("solver    %-14s %3d iterations, residual %.1e, %.1e from the first answer", solver.name().c_str(),
               solution.iterations, solution.residual, apart);
    worst_residual = examples::worst(worst_residual, solution.residual);
    worst_difference = examples::worst(worst_difference, apart);
  }

  // 4. What must hold, holds, or this throws.
  claims.say("memory    %s", claims.copies().c_str());
  claims.require_no_copies();
  claims.require(worst_residual <= 1e-10, "a residual is too large");
  claims.require(worst_difference <= 1e-9, "the answers differ");
}

}  // namespace

int main(int argc, char** argv) {
  int size = 120;
  return examples::run(argc, argv, "One right-hand side in a distributed array, three solvers in its memory.",
                       {{"--size", "unknowns along each axis", &size}},
                       [&](examples::Claims& claims) { solve(size, claims); });
}
