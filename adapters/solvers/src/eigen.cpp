#include "foreign_step.hpp"
#include "operators.hpp"
#include "watches.hpp"
#include <tridap/internal/region.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/solvers/eigen.hpp>
#include <tridap/text.hpp>

#include <AnasaziBasicEigenproblem.hpp>
#include <AnasaziBlockKrylovSchurSolMgr.hpp>
#include <AnasaziLOBPCGSolMgr.hpp>
#include <AnasaziTpetraAdapter.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tridap::solvers {

namespace {

using EigenProblem = Anasazi::BasicEigenproblem<double, MultiVector, Operator>;
using EigenManager = Anasazi::SolverManager<double, MultiVector, Operator>;
using KrylovSchur = Anasazi::BlockKrylovSchurSolMgr<double, MultiVector, Operator>;
using Found = Anasazi::Eigensolution<double, MultiVector>;

constexpr std::size_t attempts = 4;  // see belong()

void check_eigen(const EigenOptions& options, bool mass, bool preconditioned, std::size_t count, Index rows) {
  if (!(options.tol >= 0) || !std::isfinite(options.tol))
    refuse("tol is " + number_text(options.tol), "must be a finite number >= 0", "give one such as 1e-8");
  if (options.maxiter < 1)
    refuse("maxiter is " + std::to_string(options.maxiter), "must be at least 1", "give one such as 1000");
  if (count < 1) refuse("there are no vectors", "must be at least 1", "give one vector for each eigenvalue");
  if (static_cast<Index>(3 * count) > rows)
    refuse(std::to_string(count) + " eigenvalues are asked for, of a matrix of " + std::to_string(rows) + " rows",
           "must be at most a third of the rows", "compute them from the dense matrix");
  if (options.sigma && options.method != EigenMethod::krylov_schur)
    refuse("the method lobpcg has a sigma", "must have none", "use the method krylov_schur");
  if (options.method == EigenMethod::krylov_schur && rows < 4)
    refuse("the matrix has " + std::to_string(rows) + " rows", "must have at least 4 for the method krylov_schur",
           "compute the eigenvalues from the dense matrix");
  const bool by_magnitude = options.which == Which::largest_magnitude || options.which == Which::smallest_magnitude;
  if (options.method == EigenMethod::lobpcg && by_magnitude)
    refuse("the method lobpcg finds no eigenvalues by their magnitude", "",
           "ask for the smallest or the largest ones, or use the method krylov_schur");
  if (options.method == EigenMethod::krylov_schur && preconditioned)
    refuse("the method krylov_schur has a preconditioner", "must have none", "use the method lobpcg");
  if (options.method == EigenMethod::krylov_schur && mass && !options.sigma)
    refuse("the method krylov_schur has a matrix M", "must have none", "use the method lobpcg, or give sigma");
  if (options.sigma && !std::isfinite(*options.sigma))
    refuse("sigma is " + std::to_string(*options.sigma), "must be finite", "give a number near the eigenvalues");
}

// (A - sigma M)^-1 M, if A and M are matrices on all processes. Collective.
Teuchos::RCP<const Operator> inverted(const Teuchos::RCP<const Operator>& a, const Teuchos::RCP<const Operator>& m,
                                      double sigma, MPI_Comm comm) {
  const auto matrix = [](const Teuchos::RCP<const Operator>& op, const char* name) {
    const auto found = Teuchos::rcp_dynamic_cast<const CrsMatrix>(op);
    if (!op.is_null() && found.is_null())
      refuse(std::string(name) + " is an operator without a matrix", "must be a matrix if there is a sigma",
             "make one with make_matrix(), or leave sigma out");
    return found;
  };
  const auto [of_a, of_m] = mpi::collectively(comm, [&] { return std::pair{matrix(a, "A"), matrix(m, "M")}; });
  return shift_invert(of_a, of_m, sigma);
}

// A number in [-1, 1) for a global id and a vector: steps of the generator splitmix64 (Steele, Lea, Flood 2014).
double pseudorandom(Index id, std::size_t vector) {
  auto z = (static_cast<std::uint64_t>(id) * 1024 + vector + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1.0p-52 - 1;
}

// The first guess: the vectors of `x`, or pseudorandom ones for those that are 0. A later attempt has other
// pseudorandom ones alone.
Teuchos::RCP<MultiVector> first_guess(const MultiVector& x, std::size_t attempt) {
  const auto guess = Teuchos::rcp(new MultiVector(x, Teuchos::Copy));
  std::vector<double> norms(x.getNumVectors());
  x.norm2(Teuchos::arrayViewFromVector(norms));
  const auto values = guess->getLocalViewHost(Tpetra::Access::ReadWrite);
  for (std::size_t j = 0; j < norms.size(); ++j)
    for (std::size_t i = 0; (norms[j] == 0 || attempt > 0) && i < values.extent(0); ++i)
      values(i, j) = pseudorandom(x.getMap()->getGlobalElement(static_cast<int>(i)), attempt * norms.size() + j);
  return guess;
}

Teuchos::RCP<EigenManager> manager_of(const EigenOptions& options, const Teuchos::RCP<EigenProblem>& problem, int count,
                                      Index rows) {
  Teuchos::ParameterList list;
  const char* which[] = {"SR", "LR", "LM", "SM"};
  list.set("Which", which[static_cast<int>(options.which)]);
  list.set("Convergence Tolerance", options.tol);
  list.set("Verbosity", static_cast<int>(Anasazi::Errors));
  const Teuchos::RCP<std::ostream> nowhere =
      Teuchos::rcp(new Teuchos::basic_oblackholestream<char, std::char_traits<char>>());
  list.set("Output Stream", Teuchos::getFancyOStream(nowhere));
  if (options.method == EigenMethod::lobpcg) {
    list.set("Maximum Iterations", options.maxiter);
    list.set("Block Size", count);
    list.set("Full Ortho", true);
    return Teuchos::rcp(new Anasazi::LOBPCGSolMgr<double, MultiVector, Operator>(problem, list));
  }
  const int at_least = (count + 1) / 2 + 2;  // blocks
  const bool pairs = rows >= 6 * at_least;   // blocks of two vectors find double eigenvalues sooner
  const int block = pairs ? 2 : 1, needed = (count + block - 1) / block;
  list.set("Block Size", block);
  const Index most = rows / block - 1;  // blocks, with one more that follows them: no more vectors than rows
  list.set("Num Blocks", static_cast<int>(std::min<Index>(std::max(3 * needed, 20), most)));
  list.set("Maximum Restarts", options.maxiter);
  return Teuchos::rcp(new KrylovSchur(problem, list));
}

// Whether each vector belongs to its value; the same on every process. Anasazi's block Krylov-Schur method (13.2, 16.1)
// computes with a projected matrix that rounding makes unsymmetric: two equal eigenvalues of it can become a complex
// pair, and then the vectors can be in another order than the values, although all have converged.
//
// `mass`: M, in whose norm Anasazi measures; null: the identity.
bool belong(const Found& found, const KrylovSchur& manager, const Operator& op, const Operator* mass, double tol,
            MPI_Comm comm) {
  double largest = 0;
  for (const auto& value : manager.getRitzValues()) largest = std::max(largest, std::abs(value.realpart));
  int wrong = 0;
  Vector product(op.getRangeMap()), weighted(op.getRangeMap());
  const auto norm = [&](const Vector& v) {
    if (mass == nullptr) return v.norm2();
    mass->apply(v, weighted);
    return std::sqrt(std::max(v.dot(weighted), 0.0));
  };
  for (int j = 0; j < found.numVecs; ++j) {
    const auto vector = found.Evecs->getVector(static_cast<std::size_t>(j));
    const double value = found.Evals[static_cast<std::size_t>(j)].realpart;
    op.apply(*vector, product);
    product.update(-value, *vector, 1);
    const double limit = std::max(10 * tol, 1e-7) * std::abs(value) + 1e-12 * largest;  // more than rounding makes
    if (!(norm(product) <= limit * norm(*vector))) wrong = 1;
  }
  return mpi::reduced(wrong, MPI_MAX, comm) == 0;
}

// Writes the eigenvectors to `x` in ascending order of the values, and computes the residuals.
void take(const Found& found, std::optional<double> sigma, const Operator& a, const Teuchos::RCP<const Operator>& m,
          MultiVector& x, EigenSolution& solution) {
  x.putScalar(0);
  const auto count = std::min(static_cast<std::size_t>(found.numVecs), x.getNumVectors());
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> values;
  for (std::size_t j = 0; j < count; ++j)
    values.push_back(sigma ? *sigma + 1 / found.Evals[j].realpart : found.Evals[j].realpart);
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
  Vector product(x.getMap()), mass(x.getMap());
  for (std::size_t j = 0; j < count; ++j) {
    const double value = values[order[j]];
    const auto vector = x.getVectorNonConst(j);
    vector->update(1, *found.Evecs->getVector(order[j]), 0);
    if (m.is_null())
      mass.assign(*vector);
    else
      m->apply(*vector, mass);
    const double scale = 1 / std::sqrt(vector->dot(mass));
    vector->scale(scale);
    mass.scale(scale);
    a.apply(*vector, product);
    product.update(-value, mass, 1);
    solution.values.push_back(value);
    solution.residuals.push_back(product.norm2() / vector->norm2());
  }
}

// Solves the problem, if need be from other first guesses. Sets what `solution` says of the solving.
void solve(const Teuchos::RCP<EigenProblem>& problem, const EigenOptions& options, const MultiVector& x, MPI_Comm comm,
           EigenSolution& solution) {
  bool again = true;
  for (std::size_t attempt = 0; attempt < attempts && again; ++attempt) {
    problem->setInitVec(first_guess(x, attempt));
    if (!problem->setProblem()) throw std::invalid_argument("the eigenvalue problem is not complete");
    const auto manager =
        manager_of(options, problem, static_cast<int>(x.getNumVectors()), static_cast<Index>(x.getGlobalLength()));
    solution.converged = manager->solve() == Anasazi::Converged;
    solution.iterations += manager->getNumIters();
    const auto* const krylov = dynamic_cast<const KrylovSchur*>(&*manager);
    if (krylov == nullptr || !solution.converged) return;
    again = !belong(problem->getSolution(), *krylov, *problem->getOperator(), problem->getM().get(), options.tol, comm);
  }
  solution.converged = !again;
}

}  // namespace

EigenSolution find_eigenvalues(const Teuchos::RCP<const Operator>& a, const Teuchos::RCP<const Operator>& m,
                               const Teuchos::RCP<const Operator>& preconditioner, MultiVector& x,
                               const EigenOptions& options) {
  const mpi::Region region("tridap::solvers::find_eigenvalues");
  const double start = MPI_Wtime();
  const MPI_Comm comm = comm_of(*x.getMap());
  const std::size_t count = x.getNumVectors();
  const mpi::Call call(comm, "find_eigenvalues", mpi::Library::trilinos, [&](mpi::Record& record) {
    if (a.is_null()) refuse("the matrix is null", "", "make one with make_matrix(), or give an operator");
    check_vectors(x, *a->getDomainMap(), "x");
    for (const auto& other : {m, preconditioner})
      if (!other.is_null() && !other->getDomainMap()->locallySameAs(*a->getDomainMap()))
        refuse("M or the preconditioner is not distributed as the matrix rows are", "must be on the map of the matrix",
               "make it with the distribution of the rows");
    record.add(number_of(static_cast<int>(options.method), static_cast<int>(options.which), options.tol,
                         options.maxiter, options.watched, !m.is_null(), !preconditioner.is_null(), count,
                         options.sigma.has_value(), options.sigma.value_or(0)));
  });
  return call.run([&] {
    need_the_same(call, "options");
    check_eigen(options, !m.is_null(), !preconditioner.is_null(), count, static_cast<Index>(x.getGlobalLength()));

    Watches watches(options.watch, options.watched, comm);
    EigenSolution solution;
    const auto op = options.sigma ? inverted(a, m, *options.sigma, comm) : guarded(a, comm);
    foreign_step(comm, "Anasazi", "check if the matrix is symmetric, and M positive definite", [&] {
      const auto asking = [&](int products) {
        if (watches.ask(products, std::numeric_limits<double>::quiet_NaN())) throw Stopped{};
      };
      const auto observed = Teuchos::rcp(new Observed(op, asking));
      const auto problem = Teuchos::rcp(new EigenProblem(observed, Teuchos::null));
      if (!m.is_null()) problem->setM(guarded(m, comm));
      if (!preconditioner.is_null()) problem->setPrec(guarded(preconditioner, comm));
      problem->setHermitian(true);
      problem->setNEV(static_cast<int>(count));
      try {
        solve(problem, options, x, comm, solution);
        const Operator& product = options.sigma ? *a : *observed;
        take(problem->getSolution(), options.sigma, product, problem->getM(), x, solution);
      } catch (const Stopped&) {
        solution.stopped = true;
      }
    });
    watches.rethrow();
    solution.converged = solution.converged && solution.values.size() == count;
    solution.seconds = MPI_Wtime() - start;
    return solution;
  });
}

}  // namespace tridap::solvers
