#include "classic_text.hpp"
#include "definite.hpp"
#include "foreign_step.hpp"
#include "manager.hpp"
#include "operators.hpp"
#include "watches.hpp"
#include <tridap/solvers/solve.hpp>

#include <BelosCGIter.hpp>
#include <BelosLinearProblem.hpp>
#include <BelosOrthoManagerFactory.hpp>
#include <BelosPseudoBlockGmresIter.hpp>
#include <BelosTpetraAdapter.hpp>

#include <algorithm>
#include <cmath>

namespace tridap::solvers {

namespace {

using Problem = Belos::LinearProblem<double, MultiVector, Operator>;
using Iteration = Belos::Iteration<double, MultiVector, Operator>;
using StatusTest = Belos::StatusTest<double, MultiVector, Operator>;
using CG = Belos::CGIter<double, MultiVector, Operator>;
using Gmres = Belos::PseudoBlockGmresIter<double, MultiVector, Operator>;
using Coefficients = Teuchos::SerialDenseVector<int, double>;

/// The status test of Belos: keeps the history, calls the watches, and stops the iteration on all processes together.
class Progress : public StatusTest {
 public:
  Progress(const Options& options, double scale, MPI_Comm comm)
      : options_(options), scale_(scale), watches_(options.watch, options.watched, comm) {}

  /// Records the residual after `iteration` iterations; calls the watches if it is a new one.
  void record(int iteration, double residual) {
    residual_ = residual;
    const auto i = static_cast<std::size_t>(iteration);
    if (i < residuals_.size()) {  // seen before: now computed from x, or by an iteration that begins there
      residuals_[i] = residual;
      return;
    }
    residuals_.push_back(residual);
    watches_.ask(iteration, residual);
  }
  bool done() const {
    return stopped() || converged() || !std::isfinite(residual_) || iterations() >= options_.maxiter;
  }
  bool converged() const { return residual_ <= options_.tol; }
  bool stopped() const { return watches_.stopped(); }
  double residual() const { return residual_; }
  int iterations() const { return static_cast<int>(residuals_.size()) - 1; }
  const std::vector<double>& residuals() const { return residuals_; }

  /// Throws on every process what a watch threw on any process. **Collective** if the watches are called.
  void rethrow() const { watches_.rethrow(); }

  Belos::StatusType checkStatus(Iteration* iteration) override {
    std::vector<double> norms(1, -1);
    const Teuchos::RCP<const MultiVector> vector = iteration->getNativeResiduals(&norms);
    if (!vector.is_null()) vector->norm2(Teuchos::arrayViewFromVector(norms));
    record(iteration->getNumIters(), norms[0] / scale_);
    return getStatus();
  }
  Belos::StatusType getStatus() const override { return done() ? Belos::Passed : Belos::Failed; }
  void reset() override {}
  void print(std::ostream& /*stream*/, int /*indent*/) const override {}

 private:
  const Options& options_;
  double scale_;
  Watches watches_;
  std::vector<double> residuals_;
  double residual_ = 0;
};

// Starts CG. In Trilinos 13 the state contains the residual; in later versions the residual is an argument.
template <class Iter>
auto begin(Iter& iter, const Teuchos::RCP<MultiVector>& r, int /*preferred*/)
    -> decltype(iter.initializeCG(std::declval<Belos::CGIterationState<double, MultiVector>&>())) {
  Belos::CGIterationState<double, MultiVector> state;
  state.R = r;
  iter.initializeCG(state);
}
template <class Iter>
void begin(Iter& iter, const Teuchos::RCP<MultiVector>& r, long /*else*/) {
  iter.initializeCG(Teuchos::rcp(new Belos::CGIterationState<double, MultiVector>()), r);
}

/// One method of Belos, run in cycles: each begins at a residual computed from x.
class Cycle {
 public:
  Cycle(const Teuchos::RCP<Problem>& problem, const Teuchos::RCP<Progress>& progress, const Options& options)
      : problem_(problem), progress_(progress), options_(options), parameters_(options.parameters) {
    output_ = Teuchos::rcp(new Belos::OutputManager<double>(
        0, Teuchos::rcp(new Teuchos::basic_oblackholestream<char, std::char_traits<char>>())));
    if (options.method == Method::gmres) {
      Belos::OrthoManagerFactory<double, MultiVector, Operator> factory;
      const auto kind = parameters_.get<std::string>("Orthogonalization", "ICGS");
      ortho_ = factory.makeMatOrthoManager(kind, Teuchos::null, output_, "Orthogonalization", Teuchos::null);
    }
  }

  /// From the residual `r` = b - A x of 2-norm `norm`, until Progress is done, or GMRES' space is full; x is then the
  /// iterate of then.
  void run(const Teuchos::RCP<Vector>& r, double norm) {
    if (options_.method == Method::gmres)
      gmres(*r, norm);
    else
      cg(r);
  }

 private:
  void cg(const Teuchos::RCP<Vector>& r) {
    CG iter(problem_, output_, progress_, Teuchos::null, parameters_);
    begin(iter, Teuchos::RCP<MultiVector>(r), 0);
    iter.resetNumIters(progress_->iterations());
    iter.iterate();
  }

  void gmres(const Vector& r, double norm) {
    Gmres iter(problem_, output_, progress_, ortho_, parameters_);
    Belos::PseudoBlockGmresIterState<double, MultiVector> state;
    const auto first = Teuchos::rcp(new MultiVector(r, Teuchos::Copy));
    first->scale(1 / norm);
    const auto coefficients = Teuchos::rcp(new Coefficients(1));
    (*coefficients)[0] = norm;
    state.curDim = 0;
    state.V.push_back(first);
    state.Z.push_back(coefficients);
    iter.initialize(state);
    iter.resetNumIters(progress_->iterations());
    iter.iterate();
    if (iter.getCurSubspaceDim() > 0) problem_->updateSolution(iter.getCurrentUpdate(), true);
  }

  Teuchos::RCP<Problem> problem_;
  Teuchos::RCP<Progress> progress_;
  const Options& options_;
  Teuchos::ParameterList parameters_;
  Teuchos::RCP<Belos::OutputManager<double>> output_;
  Teuchos::RCP<Belos::MatOrthoManager<double, MultiVector, Operator>> ortho_;
};

void check_parameters(Options& options, Index size) {
  Teuchos::ParameterList& given = options.parameters;
  const bool cg = options.method == Method::cg;
  for (auto entry = given.begin(); entry != given.end(); ++entry) {
    const std::string& name = given.name(entry);
    const bool known =
        cg ? name == "Assert Positive Definiteness" : name == "Num Blocks" || name == "Orthogonalization";
    const bool ours = name == "Convergence Tolerance" || name == "Maximum Iterations";
    if (!known)
      refuse("the parameter '" + name + "' is unknown",
             cg ? "must be 'Assert Positive Definiteness'" : "must be 'Num Blocks' or 'Orthogonalization'",
             ours ? "use tol and maxiter of the options instead" : "leave it out");
  }
  if (cg && given.isParameter("Assert Positive Definiteness") && !given.isType<bool>("Assert Positive Definiteness"))
    refuse("'Assert Positive Definiteness' is not a bool", "", "give true or false");
  if (cg) return;
  if (given.isParameter("Orthogonalization")) {
    const bool text = given.isType<std::string>("Orthogonalization");
    const std::string kind = text ? given.get<std::string>("Orthogonalization") : "not a string";
    if (kind != "ICGS" && kind != "IMGS" && kind != "DGKS")
      refuse("'Orthogonalization' is " + kind, "must be 'ICGS', 'IMGS' or 'DGKS'", "give one of them");
  }
  constexpr Index restart = 100;
  if (!given.isParameter("Num Blocks"))
    given.set("Num Blocks", static_cast<int>(std::max<Index>(1, std::min({restart, Index{options.maxiter}, size}))));
  if (!given.isType<int>("Num Blocks") || given.get<int>("Num Blocks") < 1)
    refuse("'Num Blocks' is " +
               (given.isType<int>("Num Blocks") ? std::to_string(given.get<int>("Num Blocks")) : "not an integer"),
           "must be an integer >= 1", "give the number of iterations between restarts");
}

void check(Options& options, const Operator& a, const MultiVector& b) {
  if (options.method == Method::direct)
    refuse("the method is direct", "must be iterative in solve()", "make a DirectSolver of the matrix");
  if (options.method == Method::belos) check_belos_method(options.name);
  if (options.maxiter < 0)
    refuse("maxiter is " + std::to_string(options.maxiter), "must be at least 0", "give one such as 1000");
  if (!a.getDomainMap()->locallySameAs(*a.getRangeMap()))
    refuse("the operator's domain map differs from its range map", "must be the same map",
           "give an operator whose columns are distributed as its rows");
  if (options.method != Method::belos) check_parameters(options, static_cast<Index>(b.getGlobalLength()));
}

// The options that must be the same on all processes, as a string.
std::string said(const Options& options, bool preconditioned, std::size_t columns) {
  ClassicText text;
  text << std::hexfloat << static_cast<int>(options.method) << ' ' << options.name << ' ' << options.tol << ' '
       << options.atol << ' ' << options.maxiter << ' ' << options.watched << ' ' << options.measured << ' '
       << preconditioned << ' ' << columns << '\n'
       << options.parameters;
  return text.str();
}

// Conjugate gradients or GMRES for one right-hand side, whose 2-norm is `scale`.
Solution solve_in_cycles(const Teuchos::RCP<const Operator>& asked, const Teuchos::RCP<const Operator>& preconditioner,
                         const Vector& b, Vector& x, double scale, Options options, MPI_Comm comm) {
  Solution solution;
  if (scale == 0) {
    x.putScalar(0);
    solution.residuals = {0};
    solution.each = {0};
    solution.converged = true;
    return solution;
  }
  options.tol = std::max(options.tol, options.atol / scale);
  const auto progress = Teuchos::rcp(new Progress(options, scale, comm));
  const auto r = Teuchos::rcp(new Vector(b.getMap()));
  const auto compute = [&] {
    progress->record(std::max(progress->iterations(), 0), residual(*asked, b, x, scale, *r));
  };
  bool broken = false;
  Definite definite;
  Teuchos::RCP<const Operator> a = asked, m = preconditioner;
  if (options.method == Method::cg) {
    a = definite.matrix = Teuchos::rcp(new Remembering(asked));
    if (!m.is_null()) m = definite.preconditioner = Teuchos::rcp(new Remembering(preconditioner));
  }
  foreign_step(
      comm, "Belos",
      options.method == Method::cg ? "use method='gmres' if the matrix or the preconditioner is not "
                                     "symmetric positive definite"
                                   : "check if the matrix is singular, or use another preconditioner",
      [&] {
        compute();
        if (progress->done()) return;
        const auto problem = Teuchos::rcp(new Problem(a, Teuchos::rcpFromRef(x), Teuchos::rcpFromRef(b)));
        problem->setRightPrec(m);
        problem->setInitResVec(r);
        problem->setProblem();
        problem->setLSIndex({0});
        Cycle cycle(problem, progress, options);
        Vector first(b.getMap());
        while (!progress->done()) {
          const double before = progress->residual();
          first.assign(x);
          cycle.run(r, before * scale);
          broken = !std::isfinite(progress->residual()) || !std::isfinite(x.norm2());
          if (broken) {
            x.assign(first);
            break;
          }
          const bool claimed = progress->converged();
          compute();
          if (claimed && !progress->converged() && !(progress->residual() < before / 2)) break;
        }
        problem->setCurrLS();
      },
      [&] { definite.refuse_indefinite(comm); });
  progress->rethrow();
  solution.iterations = progress->iterations();
  solution.residuals = progress->residuals();
  solution.converged = progress->converged();
  solution.stopped = progress->stopped();
  solution.residual = progress->residual();
  solution.each = {solution.residual};
  if (!solution.stopped && (broken || !std::isfinite(solution.residual)))
    refuse("the iteration broke down: its solution became infinite within " + std::to_string(solution.iterations) +
               " iterations",
           "must stay finite", "check if the matrix is singular, or if values are too large");
  return solution;
}

}  // namespace

Solution solve(const Teuchos::RCP<const Operator>& a, const Teuchos::RCP<const Operator>& preconditioner,
               const MultiVector& b, MultiVector& x, const Options& given) {
  const double start = MPI_Wtime();
  const MPI_Comm comm = comm_of(*b.getMap());
  Options options = given;
  const mpi::Call call(comm, "solvers::solve", mpi::Library::trilinos, [&](mpi::Record& record) {
    if (a.is_null()) refuse("the matrix is null", "", "make one with make_matrix(), or give an operator");
    check_vectors(b, *a->getRangeMap(), "b");
    check_vectors(x, *a->getRangeMap(), "x");
    check_apart(b, x);
    record.add(number_of(said(given, !preconditioner.is_null(), b.getNumVectors())));
  });
  need_the_same(call, "options");
  const std::vector<double> scales = check_scales(b, x, options.tol, options.atol);
  check(options, *a, b);  // the same on all

  const Teuchos::RCP<const Operator> asked = guarded(a, comm), helper = guarded(preconditioner, comm);
  Solution solution;
  if (options.method != Method::belos && scales.size() == 1) {
    solution = solve_in_cycles(asked, helper, *b.getVector(0), *x.getVectorNonConst(0), scales[0], options, comm);
  } else {
    if (options.method != Method::belos)
      options.name = options.method == Method::cg ? "PSEUDOBLOCK CG" : "PSEUDOBLOCK GMRES";
    solution = solve_by_manager(asked, helper, b, x, scales, options, comm);
  }
  solution.seconds = MPI_Wtime() - start;
  return solution;
}

}  // namespace tridap::solvers
