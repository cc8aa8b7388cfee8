#include "solver/solve.hpp"
#include "solver/together.hpp"

#include <Amesos2.hpp>
#include <Tpetra_RowMatrixTransposer.hpp>

#include <cmath>

namespace dap::python {

namespace {

using MultiVector = Tpetra::MultiVector<double>;
using Solver = Amesos2::Solver<CrsMatrix, MultiVector>;

constexpr double good_enough = 1e-12, not_small = 1e-6;  // of |b - A x| / |b|
constexpr const char* remedy =
    "the matrix is singular, or all but: look for a row or a column of zeros, or rows that "
    "depend on one another";

}  // namespace

struct DirectSolver::Factors {
  Teuchos::RCP<const CrsMatrix> matrix;
  Teuchos::RCP<Solver> solver;
};

DirectSolver::DirectSolver(const Teuchos::RCP<const CrsMatrix>& matrix) : factors_(std::make_unique<Factors>()) {
  if (matrix.is_null()) refuse("there is no matrix", "", "make one");
  factors_->matrix = matrix;
  const MPI_Comm comm = comm_of(*matrix->getMap());
  foreign_step(comm, "Amesos2", remedy, [&] {
    Teuchos::ParameterList parameters("Amesos2");
    Teuchos::RCP<const CrsMatrix> factored = matrix;
    // On several processes the plain solve of Trilinos 13.2 is wrong, on any map, and that of the transpose right.
    if (matrix->getComm()->getSize() > 1) {
      factored = Tpetra::RowMatrixTransposer<double>(matrix).createTranspose();
      parameters.sublist("KLU2").set("Trans", "TRANS");
    }
    factors_->solver = Amesos2::create<CrsMatrix, MultiVector>("KLU2", factored);
    factors_->solver->setParameters(Teuchos::rcpFromRef(parameters));
    factors_->solver->symbolicFactorization().numericFactorization();
  });
}

DirectSolver::~DirectSolver() = default;

Solution DirectSolver::solve(const Vector& b, Vector& x) const {
  const double start = MPI_Wtime();
  const CrsMatrix& a = *factors_->matrix;
  const MPI_Comm comm = comm_of(*a.getMap());
  mpi::collectively(comm, [&] {
    check_vector(b, *a.getMap(), "b");
    if (!x.getMap()->locallySameAs(*a.getMap()))
      refuse("x has other elements than the matrix has rows", "must be distributed as they are",
             "make it with the distribution of the rows");
    check_apart(b, x);
  });
  Solution solution;
  const double scale = b.norm2();
  if (!std::isfinite(scale)) refuse("|b| is " + std::to_string(scale), "must be finite", "scale b down");
  x.putScalar(0);
  if (scale > 0) {
    Vector r(b, Teuchos::Copy), correction(b.getMap());
    solution.residual = 1;
    for (int round = 0; round < 3 && !(solution.residual <= good_enough); ++round) {  // LU, then made better by itself
      foreign_step(comm, "Amesos2", remedy, [&] {
        factors_->solver->solve(Teuchos::ptrFromRef<MultiVector>(correction),
                                Teuchos::ptrFromRef<const MultiVector>(r));
      });
      x.update(1, correction, 1);
      const double now = residual(a, b, x, scale, r);
      if (round > 0 && !(now < solution.residual)) {
        x.update(-1, correction, 1);
        break;
      }
      solution.residual = now;
    }
  }
  if (!(solution.residual <= not_small))
    refuse("|b - A x| / |b| is " + std::to_string(solution.residual) + " after a direct solve", "must be at most 1e-6",
           remedy);
  solution.residuals = {solution.residual};
  solution.converged = true;
  solution.seconds = MPI_Wtime() - start;
  return solution;
}

}  // namespace dap::python
