#include "foreign_step.hpp"
#include "held_inside.hpp"
#include <tridap/internal/region.hpp>
#include <tridap/solvers/solve.hpp>
#include <tridap/tpetra/compat.hpp>

#include <Amesos2.hpp>
#include <Teuchos_DefaultSerialComm.hpp>
#include <Tpetra_Import.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <new>

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

/// Runs a local step of Amesos2 on the first process. What it throws becomes the same Error on every process.
/// **Collective.**
void on_first(MPI_Comm comm, const std::function<void()>& step) {
  mpi::collectively(comm, [&] {
    if (mpi::rank_of(comm) != 0) return;
    try {
      step();
    } catch (const std::bad_alloc&) {
      throw;  // the factors are as large as data
    } catch (const std::exception& error) {
      refuse("Amesos2: " + words(error.what()), "", singular);
    }
  });
}

/// Vectors on the map of the matrix: the residual, the correction, and the iterate before it.
using Refinement = std::array<Vector, 3>;

}  // namespace

/// The factors of the first process, which has all rows of the matrix. The other processes send it their part of b, and
/// receive their part of x. So the library, which would make maps in each solve, makes no collective call.
struct DirectSolver::Factors {
  Teuchos::RCP<const CrsMatrix> matrix;
  Teuchos::RCP<const Map> rows;                 // numbered without gaps
  Teuchos::RCP<const Tpetra::Import<>> gather;  // of `rows` to the first process; null if there are no rows
  Teuchos::RCP<MultiVector> b, x;               // on the first process
  Teuchos::RCP<const MultiVector> serial_b;     // the same memory, as vectors of one process; null on the others
  Teuchos::RCP<MultiVector> serial_x;
  Teuchos::RCP<Solver> solver;

  void collect() {
    const auto count = matrix->getGlobalNumRows();
    const bool is_first = matrix->getComm()->getRank() == 0;
    rows = without_gaps(*matrix->getMap());
    const auto there = Teuchos::rcp(new Map(count, is_first ? count : 0, 0, matrix->getComm()));
    gather = Teuchos::rcp(new Tpetra::Import<>(rows, there));
    const Teuchos::RCP<const CrsMatrix> all =
        Tpetra::importAndFillCompleteCrsMatrix<CrsMatrix>(renumbered(*matrix, rows), *gather, there, there);
    b = Teuchos::rcp(new MultiVector(there, 1));
    x = Teuchos::rcp(new MultiVector(there, 1));
    if (!is_first) return;
    const Teuchos::RCP<const Teuchos::Comm<int>> alone = Teuchos::rcp(new Teuchos::SerialComm<int>());
    const auto of_rows = Teuchos::rcp(new Map(count, 0, alone, Tpetra::LocallyReplicated));
    const auto of_columns = Teuchos::rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                                                 tridap::tpetra::compat::local_ids(*all->getColMap()), 0, alone));
    const Teuchos::RCP<const CrsMatrix> serial =
        Teuchos::rcp(new CrsMatrix(all->getLocalMatrixDevice(), of_rows, of_columns, of_rows, of_rows));
    serial_b = b->offsetView(of_rows, 0);
    serial_x = x->offsetViewNonConst(of_rows, 0);
    solver = Amesos2::create<CrsMatrix, MultiVector>("KLU2", serial);
  }

  void solve(const MultiVector& from, MultiVector& to, MPI_Comm comm) {
    b->doImport(from, *gather, Tpetra::INSERT);
    on_first(comm, [&] { solver->solve(serial_x.ptr(), serial_b.ptr()); });
    to.doExport(*x, *gather, Tpetra::INSERT);
  }

  /// Solves for one right-hand side, by LU and at most two steps of iterative refinement, until |b - A x| / `scale` is
  /// at most `wanted`. Returns it.
  double refine(const Vector& given, Vector& found, double scale, double wanted, Refinement& work, MPI_Comm comm) {
    auto& [r, correction, before] = work;
    r.assign(given);
    const auto to = correction.offsetViewNonConst(rows, 0);
    const Teuchos::RCP<const MultiVector> from = r.offsetView(rows, 0);
    double least = 1;
    for (int round = 0; round < 3 && !(least <= wanted); ++round) {
      solve(*from, *to, comm);
      before.assign(found);
      found.update(1, correction, 1);
      matrix->apply(found, r);
      r.update(1, given, -1);
      const double now = r.norm2() / scale;
      if (round > 0 && !(now < least)) {
        found.assign(before);
        break;
      }
      least = now;
    }
    return least;
  }
};

DirectSolver::DirectSolver(const Teuchos::RCP<const CrsMatrix>& matrix) : factors_(std::make_unique<Factors>()) {
  const mpi::Region region("tridap::solvers::DirectSolver");
  if (matrix.is_null()) refuse("the matrix is null", "", "make one with make_matrix()");
  factors_->matrix = matrix;
  const MPI_Comm comm = comm_of(*matrix->getMap());
  const mpi::Call call(comm, "DirectSolver", mpi::Library::trilinos);
  call.run([&] {
    if (matrix->getGlobalNumRows() == 0) return;
    foreign_step(comm, "Tpetra", singular, [&] { factors_->collect(); });
    on_first(comm, [&] { factors_->solver->symbolicFactorization().numericFactorization(); });
  });
}

DirectSolver::~DirectSolver() = default;

Solution DirectSolver::solve(const MultiVector& b, MultiVector& x, double tol, double atol) const {
  const mpi::Region region("tridap::solvers::DirectSolver::solve");
  const double start = MPI_Wtime();
  const CrsMatrix& a = *factors_->matrix;
  const MPI_Comm comm = comm_of(*a.getMap());
  HeldInside<Refinement> work;
  const mpi::Call call(comm, "DirectSolver::solve", mpi::Library::trilinos, [&](mpi::Record& record) {
    check_vectors(b, *a.getMap(), "b");
    if (!x.getMap()->locallySameAs(*a.getMap()))
      refuse("x is not distributed as the matrix rows are", "must be on the map of the matrix",
             "make it with the distribution of the rows");
    check_apart(b, x);
    record.add(number_of(tol, atol));
    for (Vector& vector : work.emplace()) vector = Vector(a.getMap());
  });
  return call.run([&] {
    need_the_same(call, "tolerances");
    const std::vector<double> scales = check_scales(b, x, tol, atol);
    Solution solution;
    solution.converged = true;
    x.putScalar(0);
    for (std::size_t j = 0; j < scales.size(); ++j) {
      double found = 0, enough = tol;
      if (scales[j] > 0) {
        enough = std::max(tol, atol / scales[j]);
        found = factors_->refine(*b.getVector(j), *x.getVectorNonConst(j), scales[j], std::min(enough, good_enough),
                                 *work, comm);
      }
      if (!(found <= not_small))
        refuse("|b - A x| / |b| is " + std::to_string(found) + " after a direct solve", "must be at most 1e-6",
               singular);
      solution.each.push_back(found);
      solution.residual = std::max(solution.residual, found);
      if (!(found <= enough)) solution.converged = false;
    }
    solution.residuals = {solution.residual};
    solution.seconds = MPI_Wtime() - start;
    return solution;
  });
}

}  // namespace tridap::solvers
