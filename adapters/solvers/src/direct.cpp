#include "classic_text.hpp"
#include "foreign_step.hpp"
#include <tridap/solvers/solve.hpp>
#include <tridap/tpetra/compat.hpp>

#include <Amesos2.hpp>
#include <Tpetra_RowMatrixTransposer.hpp>

#include <algorithm>
#include <cmath>

namespace tridap::solvers {

namespace {

using Map = Tpetra::Map<>;
using Solver = Amesos2::Solver<CrsMatrix, MultiVector>;

constexpr double good_enough = 1e-12, not_small = 1e-6;  // of |b - A x| / |b|
constexpr const char* singular =
    "the matrix is singular or nearly singular: look for a row or a column of zeros, or rows that "
    "depend on one another";

/// A map with as many rows on each process, numbered from 0 without gaps.
Teuchos::RCP<const Map> without_gaps(const Map& map) {
  const auto any = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
  return Teuchos::rcp(new Map(any, tridap::tpetra::compat::local_count(map), 0, map.getComm()));
}

/// The same matrix, in the same memory, with its rows and columns numbered as `rows` has them.
Teuchos::RCP<const CrsMatrix> renumbered(const CrsMatrix& matrix, const Teuchos::RCP<const Map>& rows) {
  using Id = Map::global_ordinal_type;
  Teuchos::RCP<const Map> columns = rows;
  if (const auto importer = matrix.getGraph()->getImporter(); !importer.is_null()) {
    Tpetra::Vector<Id> of_rows(matrix.getDomainMap()), of_columns(matrix.getColMap());
    {
      const auto ids = of_rows.getLocalViewHost(Tpetra::Access::OverwriteAll);
      for (std::size_t i = 0; i < ids.extent(0); ++i) ids(i, 0) = rows->getGlobalElement(static_cast<int>(i));
    }
    of_columns.doImport(of_rows, *importer, Tpetra::INSERT);
    const auto ids = of_columns.getLocalViewHost(Tpetra::Access::ReadOnly);
    const Teuchos::ArrayView<const Id> listed(ids.data(), static_cast<Teuchos::Ordinal>(ids.extent(0)));
    const auto any = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
    columns = Teuchos::rcp(new Map(any, listed, 0, rows->getComm()));
  }
  return Teuchos::rcp(new CrsMatrix(matrix.getLocalMatrixDevice(), rows, columns, rows, rows));
}

/// The tolerances, which must be the same on all processes, as a string.
std::string said(double tol, double atol) {
  ClassicText text;
  text << std::hexfloat << tol << ' ' << atol;
  return text.str();
}

}  // namespace

struct DirectSolver::Factors {
  Teuchos::RCP<const CrsMatrix> matrix;
  Teuchos::RCP<const Map> rows;  // of the factored matrix: KLU2 on several processes needs numbers without gaps
  Teuchos::RCP<Solver> solver;   // null if there are no rows
};

DirectSolver::DirectSolver(const Teuchos::RCP<const CrsMatrix>& matrix) : factors_(std::make_unique<Factors>()) {
  if (matrix.is_null()) refuse("the matrix is null", "", "make one with make_matrix()");
  factors_->matrix = matrix;
  const MPI_Comm comm = comm_of(*matrix->getMap());
  const mpi::Call call(comm, "DirectSolver", mpi::Library::trilinos);
  if (matrix->getGlobalNumRows() == 0) return;
  foreign_step(comm, "Amesos2", singular, [&] {
    Teuchos::ParameterList parameters("Amesos2");
    factors_->rows = without_gaps(*matrix->getMap());
    Teuchos::RCP<const CrsMatrix> factored = renumbered(*matrix, factors_->rows);
    // On several processes the solve of Trilinos 13.2 is wrong, on any map; its solve of the transpose is right.
    if (matrix->getComm()->getSize() > 1) {
      factored = Tpetra::RowMatrixTransposer<double>(factored).createTranspose();
      parameters.sublist("KLU2").set("Trans", "TRANS");
    }
    factors_->solver = Amesos2::create<CrsMatrix, MultiVector>("KLU2", factored);
    factors_->solver->setParameters(Teuchos::rcpFromRef(parameters));
    factors_->solver->symbolicFactorization().numericFactorization();
  });
}

DirectSolver::~DirectSolver() = default;

double DirectSolver::solve_one(const Vector& b, Vector& x, double scale, double wanted) const {
  const CrsMatrix& a = *factors_->matrix;
  const MPI_Comm comm = comm_of(*a.getMap());
  Vector r(b, Teuchos::Copy), correction(b.getMap()), before(b.getMap());
  const auto to = correction.offsetViewNonConst(factors_->rows, 0);
  const Teuchos::RCP<const MultiVector> from = r.offsetView(factors_->rows, 0);
  double found = 1;
  for (int round = 0; round < 3 && !(found <= wanted); ++round) {  // LU, then iterative refinement
    foreign_step(comm, "Amesos2", singular, [&] { factors_->solver->solve(to.ptr(), from.ptr()); });
    before.assign(x);
    x.update(1, correction, 1);
    const double now = residual(a, b, x, scale, r);
    if (round > 0 && !(now < found)) {
      x.assign(before);
      break;
    }
    found = now;
  }
  return found;
}

Solution DirectSolver::solve(const MultiVector& b, MultiVector& x, double tol, double atol) const {
  const double start = MPI_Wtime();
  const CrsMatrix& a = *factors_->matrix;
  const MPI_Comm comm = comm_of(*a.getMap());
  const mpi::Call call(comm, "DirectSolver::solve", mpi::Library::trilinos, [&](mpi::Record& record) {
    check_vectors(b, *a.getMap(), "b");
    if (!x.getMap()->locallySameAs(*a.getMap()))
      refuse("x is not distributed as the matrix rows are", "must be on the map of the matrix",
             "make it with the distribution of the rows");
    check_apart(b, x);
    record.add(number_of(said(tol, atol)));
  });
  need_the_same(call, "tolerances");
  const std::vector<double> scales = check_scales(b, x, tol, atol);
  Solution solution;
  solution.converged = true;
  x.putScalar(0);
  for (std::size_t j = 0; j < scales.size(); ++j) {
    double found = 0, enough = tol;
    if (scales[j] > 0) {
      enough = std::max(tol, atol / scales[j]);
      found = solve_one(*b.getVector(j), *x.getVectorNonConst(j), scales[j], std::min(enough, good_enough));
    }
    if (!(found <= not_small))
      refuse("|b - A x| / |b| is " + std::to_string(found) + " after a direct solve", "must be at most 1e-6", singular);
    solution.each.push_back(found);
    solution.residual = std::max(solution.residual, found);
    if (!(found <= enough)) solution.converged = false;
  }
  solution.residuals = {solution.residual};
  solution.seconds = MPI_Wtime() - start;
  return solution;
}

}  // namespace tridap::solvers
