#include "collectives/counted.hpp"
#include "solvers/solver_support.hpp"

namespace {

using namespace solver_test;
using counted::second;

// Those of Trilinos among them: fewer with another Trilinos is well.
TEST(SolverCollectives, OfMatricesAndSolves) {
  const Index n = 8;
  const ArrayMap layout(cases(n).front().part, MPI_COMM_WORLD);
  const Arrays arrays(layout, laplace(n));
  const auto matrix = make_matrix(layout, arrays.csr());
  EXPECT_LE(second([&] { return make_matrix(layout, arrays.csr()); }).messages, 3);
  const Vector b = right_hand_side(layout, laplace(n));
  Vector x(layout.map());
  Options none;
  none.maxiter = 0;
  EXPECT_LE(second([&] { return solve(matrix, Teuchos::null, b, x, none); }).messages, 2);
  EXPECT_LE(second([&] { return DirectSolver(matrix).solve(b, x); }).messages, 17);
}

}  // namespace
