// A dense linear system whose matrix is in rows, as programs of NumPy have it: each process has some rows, in row-major
// memory. ScaLAPACK solves it where it is, and once more in square blocks over a process grid, where TriDAP moves it.
// Both solutions have the distribution of the right-hand side, and Tpetra takes the first one without a copy.
//
//   mpiexec -n 4 10_dense_solve [--points N]
//
// Prints for each solve what was copied or moved and how long it took, and how good the solutions are. Exits non-zero
// if a residual is over 1e-13, if the solution is over 1e-12 from LAPACK's on one process, or if Tpetra's vector is a
// copy.

#include "support/arrays.hpp"
#include "support/program.hpp"
#include "support/scalapack.hpp"
#include <tridap/compare.hpp>
#include <tridap/tpetra.hpp>

#include <algorithm>
#include <cmath>

namespace {

namespace scalapack = tridap::scalapack;

void tell(const char* how, const scalapack::Solved& solved, const examples::Claims& claims) {
  const double bytes = claims.sum(static_cast<double>(solved.receipt.bytes_copied));
  claims.say("solve     %-10s  %.0f bytes copied or moved, %.3f s", how, bytes, solved.receipt.seconds);
}

// Love's integral equation for the charge f on the plates of a condenser, whose distance is that of the radius,
//   f(s) - 1 / pi * integral from -1 to 1 of f(t) / (1 + (s - t)^2) dt = 1,
// by the midpoint rule.
void solve(int points, examples::Claims& claims) {
  // 1. The matrix in rows, and the right-hand side.
  const double h = 2.0 / points, pi = std::acos(-1.0);
  const auto rows =
      tridap::Distribution::make({points, points}, {tridap::block(), tridap::whole()}, {claims.processes(), 1});
  const auto line = tridap::Distribution::make({points}, {tridap::block()}, {claims.processes()});
  const tridap::DistArray a = examples::make_array(rows, claims.process());
  const tridap::DistArray b = examples::make_array(line, claims.process());
  examples::fill(a, [&](double i, double j) { return (i == j) - h / pi / (1 + (i - j) * h * (i - j) * h); });
  std::fill_n(static_cast<double*>(b.buffer.data), b.buffer.shape[0], 1.0);

  // 2. The solution where the matrix is, in a copy of each process's rows, because the matrix is to be kept.
  const scalapack::Solved solved = scalapack::solve(a, b, claims.comm());
  tell("in rows", solved, claims);

  // 3. The solution in the distribution in which ScaLAPACK is fastest for large matrices.
  const scalapack::Solved moved = scalapack::solve(a, b, claims.comm(), {tridap::Copy::always});
  tell("in squares", moved, claims);
  claims.say("squares   %s", tridap::describe(scalapack::squares({points, points}, claims.processes())).c_str());

  // 4. Tpetra takes it.
  const auto x = tridap::tpetra::import_vector<double>(solved.x, claims.comm());
  claims.note(x.receipt, solved.x.buffer.data, x.vector->getData().getRawPtr());
  claims.say("Tpetra    the capacity is %.6f; %s", h * x.vector->meanValue() * points / (2 * pi),
             claims.copies().c_str());

  // 5. Throws if a claim does not hold.
  const double rest = std::max(examples::residual(a, b, solved.x, claims), examples::residual(a, b, moved.x, claims));
  const double apart = examples::distance_from_lapack(a, b, solved.x, claims);
  claims.say("residual  %.1e of the right-hand side, %.1e from LAPACK's solution on one process", rest, apart);
  claims.require_no_copies();
  claims.require(rest <= 1e-13, "the residual is too large");
  claims.require(apart <= 1e-12, "the solution is not LAPACK's");
}

}  // namespace

int main(int argc, char** argv) {
  int points = 600;
  return examples::run(argc, argv, "Solves a dense system whose matrix is in rows, by ScaLAPACK.",
                       {{"--points", "unknowns", &points}}, [&](examples::Claims& claims) { solve(points, claims); });
}
