// A field is moved between three distributions: ScaLAPACK's (block-cyclic with blocks of 32 x 32, column-major, the
// processes numbered down the columns of their grid), Tpetra's uniform map, and block rows. Each move is planned once
// from the two distributions, without a list of elements.
//
//   mpiexec -n 4 07_redistribute [--rows N] [--columns N]
//
// Prints both plans, and how many values are unchanged. Exits non-zero if a value changed in a move, or if the solution
// that Trilinos found on the map is over 1e-9 from the known one.

#include "support/arrays.hpp"
#include "support/diffusion.hpp"
#include "support/known_answer.hpp"
#include "support/program.hpp"
#include "support/scalapack.hpp"
#include <tridap/make.hpp>
#include <tridap/solvers/solve.hpp>
#include <tridap/tpetra.hpp>

namespace {

namespace solvers = tridap::solvers;
using tridap::tpetra::as_array;

void redistribute(int rows, int columns, examples::Claims& claims) {
  constexpr double k = 100;  // of (I - k Laplace) x = b
  const examples::KnownAnswer known(rows, columns, k);
  const auto b_at = [&](double i, double j) { return known.right_hand_side(i, j); };
  const auto x_at = [&](double i, double j) { return known.answer(i, j); };

  // 1. b in a matrix of ScaLAPACK. Its grid numbers the processes differently, and there are 3 unused elements after
  // each local column.
  const auto extents = tridap::near_square_grid(claims.processes(), 2);
  const tridap::scalapack::ProcessGrid grid(claims.comm(), extents[0], extents[1], tridap::Order::column_major);
  examples::ScalapackMatrix theirs(grid, rows, columns, 32, 3);
  const auto source = tridap::scalapack::placed(theirs.desc, grid);
  const tridap::DistArray field = tridap::scalapack::export_array(theirs.desc, theirs.local.data(), grid).array;
  examples::fill(field, b_at);

  // 2. The move to Tpetra's uniform map, and the solution there.
  using Map = tridap::tpetra::Map;
  const auto comm = tridap::tpetra::Communicator(claims.comm()).teuchos();
  const Teuchos::RCP<const Map> map = Teuchos::rcp(new Map(rows * columns, 0, comm));
  const auto b = Teuchos::rcp(new tridap::tpetra::Vector<double>(map)),
             x = Teuchos::rcp(new tridap::tpetra::Vector<double>(map));
  auto to_map = tridap::tpetra::plan_to(map, source, sizeof(double));
  to_map(field, as_array(b));
  claims.say("to map    %d x %d values", rows, columns);
  claims.quote(to_map.plan().explain());
  const auto matrix = examples::five_point_matrix(map, rows, columns, k, k);
  const char* const name = solvers::default_preconditioner();
  solvers::Options cg;
  cg.tol = 1e-12;
  const auto preconditioner = solvers::make_preconditioner(name, cg.method, matrix);
  const solvers::Solution solution = solvers::solve(matrix, preconditioner, *b, *x, cg);
  claims.say("solver    cg + %s: %d iterations", name, solution.iterations);

  // 3. The move of both vectors to block rows, by one plan; and the expected values.
  const auto in_rows =
      tridap::Distribution::make({rows, columns}, {tridap::block(), tridap::whole()}, {claims.processes(), 1});
  auto to_rows = tridap::tpetra::plan_from(map, in_rows, sizeof(double));
  const tridap::DistArray moved = to_rows(as_array(b)), solved = to_rows(as_array(x));
  claims.say("to rows   the right-hand side and the solution");
  claims.quote(to_rows.plan().explain());
  const tridap::DistArray expected = examples::make_array(in_rows, claims.process());
  examples::fill(expected, b_at);
  const auto exact = static_cast<int>(examples::difference(moved, expected, claims).equal);
  examples::fill(expected, x_at);
  const double error = examples::difference(solved, expected, claims).distance;

  // 4. Throws if a claim does not hold.
  claims.say("values    %d of %d are unchanged after both moves", exact, rows * columns);
  claims.say("solution  %.1e from the known one", error);
  claims.require(exact == rows * columns, "a value changed, or is at a wrong place");
  claims.require(error <= 1e-9, "the solution is not the known one");
}

}  // namespace

int main(int argc, char** argv) {
  int rows = 150, columns = 200;
  return examples::run(argc, argv,
                       "Moves a field from ScaLAPACK's distribution to Tpetra's uniform map, and on to block rows.",
                       {{"--rows", "rows of the field", &rows}, {"--columns", "columns of the field", &columns}},
                       [&](examples::Claims& claims) { redistribute(rows, columns, claims); });
}
