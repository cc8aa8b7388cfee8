// Several right-hand sides are the columns of one column-major distributed array, with unused elements between the
// columns. A block Krylov method solves for all columns at once. It reads this array's memory, and writes the solutions
// to another such array.
//
//   mpiexec -n 4 05_multivector [--size N] [--columns K]
//
// Prints what was copied (0 bytes), the iterations of the block, and the true residual of each column. Exits non-zero
// if a residual is over 1e-10 of its right-hand side, or an element between the columns changed.

#include "support/arrays.hpp"
#include "support/diffusion.hpp"
#include "support/program.hpp"
#include <tridap/compare.hpp>
#include <tridap/solvers/solve.hpp>
#include <tridap/tpetra.hpp>

namespace {

namespace solvers = tridap::solvers;

constexpr tridap::Index gap = 5;     // elements between two columns
constexpr double untouched = 12345;  // their value

void solve(int size, int columns, examples::Claims& claims) {
  // 1. Unknowns in blocks over all processes; each process has all columns.
  const auto distribution =
      tridap::Distribution::make({size * size, columns}, {tridap::block(), tridap::whole()}, {claims.processes(), 1});
  const tridap::DistArray b = examples::make_columns(distribution, claims.process(), gap, untouched);
  const tridap::DistArray x = examples::make_columns(distribution, claims.process(), gap, untouched);
  examples::fill(b, [](double i, double j) { return std::sin(1e-3 * (j + 1) * i); });  // a frequency for each column
  claims.say("columns   %d of %d x %d unknowns, %s", columns, size, size, tridap::describe(distribution).c_str());
  claims.say("memory    a column begins %lld elements after the last on process 0, and has %lld",
             static_cast<long long>(b.buffer.strides[1] / b.buffer.type.bytes),
             static_cast<long long>(b.buffer.shape[0]));

  // 2. The array as a MultiVector with the array's leading dimension. Its map numbers the unknowns, not the columns.
  const auto right_hand_sides = tridap::tpetra::import_multivector<double>(b, claims.comm());
  const auto answers = tridap::tpetra::import_multivector<double>(x, claims.comm());
  claims.note(right_hand_sides.receipt, b.buffer.data, right_hand_sides.multivector->getData(0).getRawPtr());

  // 3. (I - 100 Laplace) X = B, for all columns in one search space.
  const auto matrix = examples::five_point_matrix(answers.multivector->getMap(), size, size, 100, 100);
  solvers::Options block_cg;
  block_cg.method = solvers::Method::belos;
  block_cg.name = "BLOCK CG";
  block_cg.tol = 1e-12;
  Teuchos::ParameterList degree;
  degree.set("chebyshev: degree", 8);
  const auto chebyshev = solvers::make_preconditioner("chebyshev", solvers::Method::cg, matrix, degree);
  const solvers::Solution solution =
      solvers::solve(matrix, chebyshev, *right_hand_sides.multivector, *answers.multivector, block_cg);

  // 4. The solutions are in the second array's memory.
  const auto out = tridap::tpetra::export_array(answers.multivector);
  claims.note(answers.receipt, x.buffer.data, out.array.buffer.data);
  claims.note(out.receipt, x.buffer.data, out.array.buffer.data);
  claims.say("solver    block cg + chebyshev: %d iterations for all columns", solution.iterations);
  for (std::size_t column = 0; column < solution.each.size(); ++column)
    claims.say("residual  %.1e of the right-hand side in column %zu", solution.each[column], column);
  claims.say("arrays    %s", claims.copies().c_str());

  claims.require_no_copies();
  claims.require(solution.residual <= 1e-10, "a residual is too large");
  claims.require(examples::gaps_hold(b, untouched) && examples::gaps_hold(x, untouched),
                 "an element between the columns was changed");
}

}  // namespace

int main(int argc, char** argv) {
  int size = 100, columns = 4;
  return examples::run(
      argc, argv, "One block solver for several right-hand sides in one column-major array.",
      {{"--size", "unknowns along each side of the square", &size}, {"--columns", "right-hand sides", &columns}},
      [&](examples::Claims& claims) { solve(size, columns, claims); });
}
