// A field between the layouts of three libraries: dealt in blocks of 32 x 32 as ScaLAPACK deals it, column-major, its
// processes numbered down the columns of their grid; on the uniform map that Tpetra makes; and in block rows. Each move
// is planned once, from what the layouts are: nobody lists an element.
//
//   mpiexec -n 4 07_redistribute [--rows N] [--columns N]
//
// Prints both plans, and what came of the values; exits non-zero where one did not arrive exactly as it was, or the
// solution that Trilinos found on the map is over 1e-9 from the known one.

#include "support/arrays.hpp"
#include "support/diffusion.hpp"
#include "support/known_answer.hpp"
#include "support/program.hpp"
#include "support/solver.hpp"
#include <tridap/make.hpp>
#include <tridap/tpetra.hpp>
#include <tridap/vocabularies.hpp>

namespace {

using tridap::tpetra::as_array;

void redistribute(int rows, int columns, examples::Claims& claims) {
  constexpr double k = 100;  // of (I - k Laplace) x = b
  const examples::KnownAnswer known(rows, columns, k);
  const auto b_at = [&](double i, double j) { return known.right_hand_side(i, j); };
  const auto x_at = [&](double i, double j) { return known.answer(i, j); };

  // 1. b as ScaLAPACK deals it, in its own words; its processes are not numbered as ours. 3 elements stand unused below
  // each local column.
  const auto grid = tridap::near_square_grid(claims.processes(), 2);
  const tridap::Translation dealt =
      tridap::scalapack::matrix({rows, columns, 32, 32, 0, 0, {}}, {grid[0], grid[1], tridap::Order::column_major});
  tridap::redistribute::PlacedDistribution source(dealt.distribution);
  for (int p = 0; p < claims.processes(); ++p) source.ranks.push_back(dealt.foreign_process(p));
  const tridap::DistArray field = examples::make_columns(dealt.distribution, dealt.process(claims.process()), 3, -1);
  examples::fill(field, b_at);

  // 2. To Tpetra's uniform map, and the solution there.
  using Map = tridap::tpetra::Map;
  const auto comm = tridap::tpetra::Communicator(claims.comm()).teuchos();
  const Teuchos::RCP<const Map> map = Teuchos::rcp(new Map(rows * columns, 0, comm));
  const auto b = Teuchos::rcp(new tridap::tpetra::Vector<double>(map)),
             x = Teuchos::rcp(new tridap::tpetra::Vector<double>(map));
  auto to_map = tridap::tpetra::plan_to(map, source, sizeof(double));
  to_map(field, as_array(b));
  claims.say("to map    %d x %d values", rows, columns);
  claims.quote(to_map.plan().explain());
  const examples::Solver solver(examples::five_point_matrix(map, rows, columns, k, k));
  const examples::Solution solution = solver.solve(*b, *x);
  claims.say("solver    %s: %d iterations", solver.name().c_str(), solution.iterations);

  // 3. Both vectors to block rows, by one plan; and what should be there.
  const auto in_rows =
      tridap::Distribution::make({rows, columns}, {tridap::block(), tridap::whole()}, {claims.processes(), 1});
  auto to_rows = tridap::tpetra::plan_from(map, in_rows, sizeof(double));
  const tridap::DistArray moved = to_rows(as_array(b)), solved = to_rows(as_array(x));
  claims.say("to rows   the right-hand side, and the answer");
  claims.quote(to_rows.plan().explain());
  const tridap::DistArray expected = examples::make_array(in_rows, claims.process());
  examples::fill(expected, b_at);
  const auto exact = static_cast<int>(examples::difference(moved, expected, claims).equal);
  examples::fill(expected, x_at);
  const double error = examples::difference(solved, expected, claims).distance;

  // 4. What must hold, holds, or this throws.
  claims.say("values    %d of %d came through both moves exactly", exact, rows * columns);
  claims.say("answer    %.1e from the known one", error);
  claims.require(exact == rows * columns, "a value is not what it was, or not where it should be");
  claims.require(error <= 1e-9, "the answer is not the known one");
}

}  // namespace

int main(int argc, char** argv) {
  int rows = 150, columns = 200;
  return examples::run(argc, argv, "A field from ScaLAPACK's layout to Tpetra's map, and on to rows.",
                       {{"--rows", "of the field", &rows}, {"--columns", "of the field", &columns}},
                       [&](examples::Claims& claims) { redistribute(rows, columns, claims); });
}
