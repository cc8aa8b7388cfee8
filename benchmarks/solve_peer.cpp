// Belos' conjugate gradients with MueLu, called by hand. bench_python.py calls it by ctypes, in alternation with
// tridap.solve, on the same matrix, memory and processes.

#include "support/diffusion.hpp"
#include <tridap/tpetra.hpp>

#include <BelosLinearProblem.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <MueLu_CreateTpetraPreconditioner.hpp>

namespace {

using Matrix = Tpetra::CrsMatrix<double>;
using Operator = Tpetra::Operator<double>;
using MultiVector = Tpetra::MultiVector<double>;

struct Peer {
  tridap::tpetra::ArrayMap layout;
  Teuchos::RCP<const Matrix> matrix;
  Teuchos::RCP<const Operator> multigrid;
};

Teuchos::RCP<const Operator> multigrid_of(const Teuchos::RCP<const Matrix>& matrix) {
  Teuchos::ParameterList parameters;
  parameters.set("verbosity", "none");
  parameters.set("smoother: type", "CHEBYSHEV");
  parameters.set("coarse: type", "CHEBYSHEV");
  const Teuchos::RCP<Operator> op = Teuchos::rcp_const_cast<Matrix>(matrix);
  return MueLu::CreateTpetraPreconditioner(op, parameters);
}

// Returns the iterations. It also computes |b - A x| / |b| from the solution, as tridap.solve does.
int solve(const Peer& peer, const MultiVector& b, MultiVector& x) {
  x.putScalar(0);
  const auto problem = Teuchos::rcp(new Belos::LinearProblem<double, MultiVector, Operator>(
      peer.matrix, Teuchos::rcpFromRef(x), Teuchos::rcpFromRef(b)));
  problem->setLeftPrec(peer.multigrid);
  problem->setProblem();
  const auto parameters = Teuchos::parameterList();
  parameters->set("Convergence Tolerance", 1e-12);
  parameters->set("Maximum Iterations", 1000);
  Belos::PseudoBlockCGSolMgr<double, MultiVector, Operator> manager(problem, parameters);
  manager.solve();
  MultiVector residual(b.getMap(), b.getNumVectors());
  peer.matrix->apply(x, residual);
  residual.update(1, b, -1);
  if (!(residual.getVector(0)->norm2() <= 1e-10 * b.getVector(0)->norm2())) std::abort();
  return manager.getNumIters();
}

tridap::DistArray rows_of(const double* data, tridap::Index rows, tridap::Index cols, tridap::Index start,
                          tridap::Index stop, MPI_Comm comm) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  tridap::DistArray array;
  array.buffer = tridap::row_major(const_cast<double*>(data), {stop - start, cols});
  array.dim_data = {tridap::undistributed(rows), tridap::undistributed(cols)};
  array.dim_data[0].proc_grid_size = size;
  array.dim_data[0].proc_grid_rank = rank;
  array.dim_data[0].dist = tridap::Block{start, stop, {}};
  return array;
}

}  // namespace

extern "C" {

void* peer_new(MPI_Comm* comm, tridap::Index rows, tridap::Index cols, tridap::Index start, tridap::Index stop,
               double k, double* field) {
  const tridap::tpetra::ArrayMap layout(rows_of(field, rows, cols, start, stop, *comm), *comm);
  const auto matrix = examples::five_point_matrix(layout.map(), rows, cols, k, k);
  return new Peer{layout, matrix, multigrid_of(matrix)};
}

// Solves A x = b from 0, in the memory of both; returns the iterations.
int peer_solve(void* peer, MPI_Comm* comm, tridap::Index rows, tridap::Index cols, tridap::Index start,
               tridap::Index stop, double* b, double* x) {
  const Peer& p = *static_cast<Peer*>(peer);
  const auto vb = tridap::tpetra::import_vector<double>(rows_of(b, rows, cols, start, stop, *comm), p.layout);
  const auto vx = tridap::tpetra::import_vector<double>(rows_of(x, rows, cols, start, stop, *comm), p.layout);
  return solve(p, *vb.vector, *vx.vector);
}

void peer_delete(void* peer) { delete static_cast<Peer*>(peer); }

}  // extern "C"
