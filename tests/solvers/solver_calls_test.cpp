#include "solver_support.hpp"
#include "support/different_calls.hpp"
#include <tridap/solvers/eigen.hpp>
#include <tridap/solvers/vectors.hpp>

using namespace solver_test;
namespace solvers = tridap::solvers;

TEST(SolverCalls, ThatDifferAreAnErrorOnAllProcesses) {
  const Index n = 6;
  const tridap::DistArray part = cases(n).front().part;
  const ArrayMap layout(part, MPI_COMM_WORLD);
  const Arrays arrays(layout, laplace(n));
  const Teuchos::RCP<CrsMatrix> matrix = make_matrix(layout, arrays.csr());
  const DirectSolver lu(matrix);
  const Vector b = right_hand_side(layout, laplace(n));
  Vector x(layout.map());
  solvers::MultiVector pair(layout.map(), 2);
  solvers::EigenOptions eigen;
  eigen.method = solvers::EigenMethod::lobpcg;
  different_calls::expect_errors({
      {"make_matrix", [&] { make_matrix(layout, arrays.csr()); }},
      {"solvers::update_values", [&] { solvers::update_values(layout, *matrix, arrays.csr()); }},
      {"make_preconditioner", [&] { make_preconditioner("ifpack2", Method::cg, matrix); }},
      {"solvers::solve", [&] { solve(matrix, Teuchos::null, b, x, Options()); }},
      {"DirectSolver", [&] { DirectSolver other(matrix); }},
      {"DirectSolver::solve", [&] { lu.solve(b, x); }},
      {"find_eigenvalues", [&] { find_eigenvalues(matrix, Teuchos::null, Teuchos::null, pair, eigen); }},
      {"import_vectors",
       [&] {
         solvers::import_vectors({part, layout.distribution(), "b"}, layout, tridap::Copy::if_needed);
       }},
  });
}
