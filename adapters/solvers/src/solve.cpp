#include "belos_managers.hpp"
#include "foreign_step.hpp"
#include "held_inside.hpp"
#include "names.hpp"
#include "operators.hpp"
#include "watches.hpp"
#include <tridap/internal/region.hpp>
#include <tridap/solvers/solve.hpp>

#include <BelosLinearProblem.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosStatusTest.hpp>
#include <BelosTpetraAdapter.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace tridap::solvers {

namespace {

using Manager = Belos::SolverManager<double, MultiVector, Operator>;
using Problem = Belos::LinearProblem<double, MultiVector, Operator>;
using CG = Belos::PseudoBlockCGSolMgr<double, MultiVector, Operator>;
using List = Teuchos::ParameterList;

/// The managers that solve for several right-hand sides at a time; the others solve for one after the other.
bool solves_together(const std::string& canonical) {
  static const std::set<std::string> names = {"BLOCK CG",          "PSEUDOBLOCK CG",    "BLOCK GMRES",
                                              "PSEUDOBLOCK GMRES", "PSEUDOBLOCK TFQMR", "BICGSTAB"};
  return names.count(canonical) > 0;
}

/// The managers of Trilinos 13.2 that write to std::cout, whatever their verbosity. They do not apply a preconditioner
/// from the right either.
bool prints(const std::string& canonical) { return canonical == "LSQR" || canonical == "PCPG"; }

/// While it lives, std::cout prints nothing, if it is told so.
class Quiet {
 public:
  explicit Quiet(bool quiet) : before_(quiet ? std::cout.rdbuf(nullptr) : nullptr), quiet_(quiet) {}
  ~Quiet() {
    if (!quiet_) return;
    std::cout.rdbuf(before_);  // which also clears the error state that printing to nothing leaves
  }
  Quiet(const Quiet&) = delete;

 private:
  std::streambuf* before_;
  bool quiet_;
};

std::string canonical(const std::string& name) {
  const std::string upper = upper_case(name);
  const auto [of_alias, is_alias] = Belos::Details::getCanonicalNameFromAlias(upper);
  return is_alias ? of_alias : upper;
}

/// The name of the manager of a method.
std::string manager_name(const Options& options) {
  if (options.method == Method::belos) return options.name;
  return options.method == Method::cg ? "PSEUDOBLOCK CG" : "PSEUDOBLOCK GMRES";
}

/// Calls `seen(iteration, residuals, columns)` once after each iteration of a GMRES, of which x is the iterate only at
/// its end. `residuals` are |r| of the columns that the manager works on.
class Iterates : public Belos::StatusTest<double, MultiVector, Operator> {
 public:
  using Seen = std::function<bool(int, const std::vector<double>&, const std::vector<int>&)>;
  Iterates(Teuchos::RCP<Problem> problem, Seen seen) : problem_(std::move(problem)), seen_(std::move(seen)) {}

  Belos::StatusType checkStatus(Belos::Iteration<double, MultiVector, Operator>* iteration) override {
    const int now = iteration->getNumIters();
    if (now <= last_) return Belos::Failed;
    last_ = now;
    const std::vector<int> columns = problem_->getLSIndex();
    std::vector<double> norms(columns.size(), 0);
    const auto vectors = iteration->getNativeResiduals(&norms);
    if (!vectors.is_null()) vectors->norm2(Teuchos::arrayViewFromVector(norms));
    if (seen_(now, norms, columns)) {
      if (const auto update = iteration->getCurrentUpdate(); !update.is_null()) problem_->updateSolution(update, true);
      problem_->setCurrLS();
      throw Stopped{};
    }
    return Belos::Failed;
  }
  Belos::StatusType getStatus() const override { return Belos::Failed; }
  void reset() override {}
  void print(std::ostream& /*stream*/, int /*indent*/) const override {}

 private:
  Teuchos::RCP<Problem> problem_;
  Seen seen_;
  int last_ = 0;
};

/// The memory of a solve that is as large as b: the residual; the correction, or x as it was; and, if a watch needs
/// one, the residual after each product.
struct Work {
  MultiVector residual, correction;
  std::optional<MultiVector> measured;
};

/// The columns `first` to `first + count` of vectors, in their memory.
Teuchos::RCP<MultiVector> columns_of(MultiVector& vectors, std::size_t first, std::size_t count) {
  if (count == vectors.getNumVectors()) return Teuchos::rcpFromRef(vectors);
  return vectors.subViewNonConst(
      Teuchos::Range1D(static_cast<Teuchos::Ordinal>(first), static_cast<Teuchos::Ordinal>(first + count) - 1));
}

/// One manager of Belos and what it finds for some columns of b and x. The managers of `cg` and `gmres` work in x. The
/// others solve for its correction, from 0: so their tests of convergence, which are relative to the first residual,
/// and |b - A x| / |b| are the same but for a factor.
class Managed {
 public:
  Managed(Teuchos::RCP<const Operator> a, Teuchos::RCP<const Operator> preconditioner, const Options& options,
          Work& work, MPI_Comm comm)
      : a_(std::move(a)),
        preconditioner_(std::move(preconditioner)),
        options_(options),
        work_(work),
        watches_(options.watch, options.watched, comm),
        name_(manager_name(options)),
        given_(Teuchos::parameterList(options.parameters)) {
    Factory factory = belos_factory();
    const auto list = Teuchos::parameterList();  // the factory sets what an alias means
    manager_ = factory.create(name_, list);
    cg_ = Teuchos::rcp_dynamic_cast<CG>(manager_);
    if (list->isType<bool>("Flexible Gmres")) given_->set("Flexible Gmres", list->get<bool>("Flexible Gmres"));
    check_against(*given_, *manager_->getValidParameters(),
                  {"Convergence Tolerance", "Maximum Iterations", "Rel RHS Err", "Verbosity", "Output Style",
                   "Output Frequency", "Output Stream", "Show Maximum Residual Norm Only", "Timer Label"},
                  "'" + name_ + "'");
  }

  /// Solves for the columns of `b`, none of which is 0, and whose 2-norms are `scales`; `each` receives |b - A x| / |b|
  /// of each.
  void solve(const MultiVector& b, MultiVector& x, const std::vector<double>& scales, std::vector<double>& each) {
    const auto r = columns_of(work_.residual, 0, scales.size());
    each = measure(b, x, scales, *r);
    broken_ = !are_finite(each);
    int used = 0;
    bool again = !broken_ && !record(0, largest(each)), ran = false;
    while (again && used < options_.maxiter) {
      std::vector<std::size_t> active;
      for (std::size_t j = 0; j < each.size(); ++j)
        if (!(each[j] <= tolerance(scales[j]))) active.push_back(j);
      if (active.empty()) break;
      again = correct(b, *r, x, active, scales, each, used);
      ran = true;
      if (broken_) break;
      const std::vector<double> before = std::exchange(each, measure(b, x, scales, *r));
      broken_ = !are_finite(each);
      const auto better = [&](std::size_t j) { return each[j] < before[j] / 2; };
      again = again && !stopped() && std::any_of(active.begin(), active.end(), better);
      if (shows_iterations_) residuals.back() = largest(each);
    }
    if (ran && !shows_iterations_ && !stopped() && !broken_) record(products_, largest(each));
    iterations = std::max(iterations, used);
  }

  void rethrow() const { watches_.rethrow(); }
  bool stopped() const { return watches_.stopped(); }
  bool broken() const { return broken_; }
  double tolerance(double scale) const { return std::max(options_.tol, options_.atol / scale); }

  /// Throws Error if the last products show that A or the preconditioner is indefinite, and the method needs definite
  /// ones. **Collective.**
  void explain(MPI_Comm comm) const {
    if (preconditioned_as(options_) != Method::cg) return;
    const bool takes_any_matrix = canonical(name_) == "MINRES";
    refuse_indefinite(takes_any_matrix ? nullptr : seen_a_.get(), seen_m_.get(), comm);
  }

  int iterations = 0;
  std::vector<double> residuals;

 private:
  static double largest(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

  static bool are_finite(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  }

  bool record(int iteration, double residual) {
    residuals.push_back(residual);
    return watches_.ask(iteration, residual);
  }

  /// r = b - A x, and its 2-norms over the scales.
  std::vector<double> measure(const MultiVector& b, const MultiVector& x, const std::vector<double>& scales,
                              MultiVector& r) const {
    a_->apply(x, r);
    r.update(1, b, -1);
    std::vector<double> norms(scales.size());
    r.norm2(Teuchos::arrayViewFromVector(norms));
    for (std::size_t j = 0; j < norms.size(); ++j) norms[j] /= scales[j];
    return norms;
  }

  Teuchos::RCP<List> parameters(std::size_t columns, double tol, int maxiter, Index rows) const {
    const auto list = Teuchos::parameterList(*given_);
    const auto valid = manager_->getValidParameters();
    const auto set = [&](const char* name, auto value) {
      if (valid->isParameter(name)) list->set(name, value);
    };
    const auto by_default = [&](const char* name, auto value) {
      if (!given_->isParameter(name)) set(name, value);
    };
    set("Convergence Tolerance", tol);
    set("Rel RHS Err", tol);
    set("Maximum Iterations", maxiter);
    by_default("Rel Mat Err", 0.0);
    by_default("Maximum Restarts", maxiter);
    // GCRODR of Trilinos 13.2 fails if it ends before it has as many vectors as it is to recycle.
    constexpr int recycled = 5;  // Belos' default
    by_default("Num Recycled Blocks", std::clamp(maxiter - 1, 1, recycled));
    constexpr Index restart = 100;
    if (options_.method == Method::gmres)
      by_default("Num Blocks", static_cast<int>(std::max<Index>(1, std::min({restart, Index{maxiter}, rows}))));
    if (solves_together(canonical(name_))) by_default("Block Size", static_cast<int>(columns));
    const Teuchos::RCP<std::ostream> nowhere =
        Teuchos::rcp(new Teuchos::basic_oblackholestream<char, std::char_traits<char>>());
    set("Output Stream", nowhere);
    return list;
  }

  /// Improves the columns `active` of x by what the manager finds for the residual `r`, of which it overwrites the
  /// other columns, and adds its iterations to `used`. Returns whether the manager says that it has converged, or has
  /// lost accuracy.
  bool correct(const MultiVector& b, MultiVector& r, MultiVector& x, const std::vector<std::size_t>& active,
               const std::vector<double>& scales, const std::vector<double>& before, int& used) {
    const std::size_t count = active.size();
    double tol = 1;
    for (std::size_t i = 0; i < count; ++i) {
      tol = std::min(tol, tolerance(scales[active[i]]) / before[active[i]]);
      if (active[i] != i) r.getVectorNonConst(i)->assign(*r.getVector(active[i]));
    }
    const auto from = columns_of(r, 0, count), correction = columns_of(work_.correction, 0, count);
    const bool in_place = options_.method != Method::belos && count == x.getNumVectors() && x.isConstantStride();
    const auto d = in_place ? Teuchos::rcpFromRef(x) : correction;
    const Teuchos::RCP<const MultiVector> right =
        in_place ? Teuchos::rcpFromRef(b) : Teuchos::RCP<const MultiVector>(from);
    if (in_place)
      correction->assign(x);  // restored after a failure
    else
      correction->putScalar(0);
    const auto worst = [&](const std::vector<double>& norms, const auto& column) {
      double found = 0;
      for (std::size_t i = 0; i < norms.size(); ++i)
        if (const auto j = column(i); j >= 0)
          found = std::max(found, norms[i] / scales[active[static_cast<std::size_t>(j)]]);
      return found;
    };
    const auto in_order = [](std::size_t i) { return static_cast<int>(i); };
    const auto between = [&](int products) {
      if (!cg_.is_null()) {
        if (record(used + products, worst(*cg_->getResidualStatusTest()->getResNormValue(), in_order))) throw Stopped{};
      } else if (options_.watched && !shows_iterations_) {
        double residual = std::numeric_limits<double>::quiet_NaN();
        if (options_.measured) {
          const auto rest = columns_of(*work_.measured, 0, count);
          std::vector<double> norms(count);
          a_->apply(*d, *rest);
          rest->update(1, *from, -1);
          rest->norm2(Teuchos::arrayViewFromVector(norms));
          residuals.push_back(residual = worst(norms, in_order));
        }
        if (watches_.ask(products_ + products, residual)) throw Stopped{};
      }
    };
    seen_a_ = Teuchos::rcp(new Observed(a_, between));
    seen_m_ = preconditioner_.is_null() ? Teuchos::null : Teuchos::rcp(new Observed(preconditioner_));
    const auto problem = Teuchos::rcp(new Problem(seen_a_, d, right));
    problem->setRightPrec(seen_m_);
    problem->setInitResVec(from);
    problem->setProblem();
    shows_iterations_ = !cg_.is_null();
    try {
      manager_->setDebugStatusTest(Teuchos::rcp(
          new Iterates(problem, [&](int iteration, const std::vector<double>& norms, const std::vector<int>& columns) {
            return record(used + iteration, worst(norms, [&](std::size_t i) { return columns[i]; }));
          })));
      shows_iterations_ = true;
    } catch (const std::logic_error&) {  // this manager has none
    }
    manager_->setProblem(problem);
    manager_->setParameters(parameters(count, tol, options_.maxiter - used, static_cast<Index>(x.getGlobalLength())));
    bool claims = false;
    int more = 0;
    try {
      const Quiet quiet(prints(canonical(name_)));
      claims = manager_->solve() == Belos::Converged || manager_->isLOADetected();
      more = manager_->getNumIters();
      if (!cg_.is_null() && more > 0) between(more);
    } catch (const std::exception&) {
      if (in_place) x.assign(*correction);
      seen_a_->rethrow();
      if (!seen_m_.is_null()) seen_m_->rethrow();
      throw;
    } catch (const Stopped&) {
      more = shows_iterations_ ? static_cast<int>(residuals.size()) - 1 - used : manager_->getNumIters();
    }
    products_ += seen_a_->products();
    used = std::min(used + more, options_.maxiter);
    std::vector<double> norms(count);
    d->norm2(Teuchos::arrayViewFromVector(norms));
    broken_ = !are_finite(norms);
    if (in_place && broken_) x.assign(*correction);
    for (std::size_t i = 0; i < count && !in_place && !broken_; ++i)
      x.getVectorNonConst(active[i])->update(1, *d->getVector(i), 1);
    return claims;
  }

  Teuchos::RCP<const Operator> a_, preconditioner_;
  const Options& options_;
  Work& work_;
  Watches watches_;
  std::string name_;
  Teuchos::RCP<List> given_;
  Teuchos::RCP<Manager> manager_;
  Teuchos::RCP<CG> cg_;  // null for the other managers
  Teuchos::RCP<Observed> seen_a_, seen_m_;
  int products_ = 0;               // of the runs that have ended
  bool shows_iterations_ = false;  // the residual after each one is recorded
  bool broken_ = false;
};

void check(const Options& options, const Operator& a, bool preconditioned) {
  if (options.method == Method::direct)
    refuse("the method is direct", "must be iterative in solve()", "make a DirectSolver of the matrix");
  if (options.method == Method::belos) check_belos_method(options.name);
  if (options.maxiter < 0)
    refuse("maxiter is " + std::to_string(options.maxiter), "must be at least 0", "give one such as 1000");
  if (!a.getDomainMap()->locallySameAs(*a.getRangeMap()))
    refuse("the operator's domain map differs from its range map", "must be the same map",
           "give an operator whose columns are distributed as its rows");
  const std::string name = canonical(manager_name(options));
  if (prints(name) && preconditioned)
    refuse("the method '" + name + "' has a preconditioner", "must have none, because Belos does not apply it",
           "leave it out, or use another method");
}

// Solves for the columns of b that are not 0, whose 2-norms are in `scales`. **Collective.**
Solution solve_columns(Managed& managed, const MultiVector& b, MultiVector& x, const std::vector<double>& scales,
                       std::size_t at_a_time) {
  Solution solution;
  solution.each.assign(scales.size(), 0);
  std::vector<std::size_t> wanted;
  for (std::size_t j = 0; j < scales.size(); ++j) {
    if (scales[j] > 0)
      wanted.push_back(j);
    else
      x.getVectorNonConst(j)->putScalar(0);
  }
  for (std::size_t first = 0; first < wanted.size() && !managed.stopped() && !managed.broken(); first += at_a_time) {
    const std::vector<std::size_t> some(
        wanted.begin() + static_cast<std::ptrdiff_t>(first),
        wanted.begin() + static_cast<std::ptrdiff_t>(std::min(first + at_a_time, wanted.size())));
    std::vector<double> of_some, each;
    for (const std::size_t j : some) of_some.push_back(scales[j]);
    const auto columns = Teuchos::arrayViewFromVector(some);
    managed.solve(*b.subView(columns), *x.subViewNonConst(columns), of_some, each);
    for (std::size_t i = 0; i < some.size(); ++i) solution.each[some[i]] = each[i];
  }
  solution.iterations = managed.iterations;
  solution.residuals = managed.residuals;
  if (solution.residuals.empty()) solution.residuals = {0};
  solution.stopped = managed.stopped();
  solution.converged = true;
  for (std::size_t j = 0; j < scales.size(); ++j) {
    solution.residual = std::max(solution.residual, solution.each[j]);
    if (scales[j] > 0 && !(solution.each[j] <= managed.tolerance(scales[j]))) solution.converged = false;
  }
  return solution;
}

}  // namespace

std::vector<std::string> belos_methods() {
  belos_factory();
  std::vector<std::string> names = Belos::Details::canonicalSolverNames();
  for (const std::string& alias : Belos::Details::solverNameAliases()) names.push_back(alias);
  const auto missing = [](const std::string& name) { return !Factory::isSolverRegistered(canonical(name)); };
  names.erase(std::remove_if(names.begin(), names.end(), missing), names.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Method preconditioned_as(const Options& options) {
  if (options.method != Method::belos) return options.method;
  const std::string name = canonical(options.name);
  const bool symmetric = name == "BLOCK CG" || name == "PSEUDOBLOCK CG" || name == "MINRES" || name == "RCG" ||
                         name == "PSEUDOBLOCK STOCHASTIC CG" || name == "FIXED POINT";
  return symmetric ? Method::cg : Method::gmres;
}

void check_belos_method(const std::string& name) {
  const std::vector<std::string> names = belos_methods();
  if (std::find(names.begin(), names.end(), upper_case(name)) != names.end()) return;
  std::string all;
  for (const std::string& known : names)
    if (canonical(known) == known) all += ", '" + known + "'";
  const std::string like = nearest(name, names);
  refuse_key("method", "'" + name + "'", "must be 'cg', 'gmres', 'direct', or a name of Belos" + all,
             like.empty() ? "take one of them" : "did you mean '" + like + "'?");
}

Solution solve(const Teuchos::RCP<const Operator>& a, const Teuchos::RCP<const Operator>& preconditioner,
               const MultiVector& b, MultiVector& x, const Options& options) {
  const mpi::Region region("tridap::solvers::solve");
  const double start = MPI_Wtime();
  const MPI_Comm comm = comm_of(*b.getMap());
  HeldInside<Work> work;
  const mpi::Call call(comm, "solvers::solve", mpi::Library::trilinos, [&](mpi::Record& record) {
    if (a.is_null()) refuse("the matrix is null", "", "make one with make_matrix(), or give an operator");
    check_vectors(b, *a->getRangeMap(), "b");
    check_vectors(x, *a->getRangeMap(), "x");
    check_apart(b, x);
    record.add(number_of(static_cast<int>(options.method), options.name, options.tol, options.atol, options.maxiter,
                         options.watched, options.measured, !preconditioner.is_null(), b.getNumVectors(),
                         options.parameters));
    const auto like_b = [&] { return MultiVector(b.getMap(), std::max<std::size_t>(b.getNumVectors(), 1)); };
    work.emplace(Work{like_b(), like_b(), {}});
    if (options.watched && options.measured && options.method == Method::belos) work->measured = like_b();
  });
  return call.run([&] {
    need_the_same(call, "options");
    const std::vector<double> scales = check_scales(b, x, options.tol, options.atol);
    check(options, *a, !preconditioner.is_null());  // the same on all
    std::optional<Managed> managed;
    Solution solution;
    const auto run = [&] {
      managed.emplace(guarded(a, comm), guarded(preconditioner, comm), options, *work, comm);
      solution =
          solve_columns(*managed, b, x, scales, solves_together(canonical(manager_name(options))) ? scales.size() : 1);
    };
    const auto explain = [&] {
      if (managed) managed->explain(comm);
    };
    foreign_step(comm, "Belos", "check if the matrix is singular, or use another method or preconditioner", run,
                 explain);
    managed->rethrow();
    if (managed->broken() && managed->residuals.empty())
      refuse("b - A x is not finite for the first guess", "must be finite",
             "check the values of A, or if the function that multiplies by A writes each element of the product");
    if (managed->broken() && !solution.stopped)
      refuse("the iteration broke down: its solution became infinite within " + std::to_string(solution.iterations) +
                 " iterations",
             "must stay finite", "check if the matrix is singular, or use another method");
    solution.seconds = MPI_Wtime() - start;
    return solution;
  });
}

}  // namespace tridap::solvers
