#include "manager.hpp"

#include "belos_managers.hpp"
#include "definite.hpp"
#include "foreign_step.hpp"
#include "names.hpp"
#include "operators.hpp"
#include "watches.hpp"

#include <BelosLinearProblem.hpp>
#include <BelosStatusTest.hpp>
#include <BelosTpetraAdapter.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <set>

namespace tridap::solvers {

namespace {

using Manager = Belos::SolverManager<double, MultiVector, Operator>;
using ManagedProblem = Belos::LinearProblem<double, MultiVector, Operator>;
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

/// Calls `seen(iteration, residuals)` once after each iteration of a GMRES, of which x is the iterate only at its end.
/// `residuals` are |r| of the columns that the manager works on.
class Iterates : public Belos::StatusTest<double, MultiVector, Operator> {
 public:
  using Seen = std::function<bool(int, const std::vector<double>&, const std::vector<int>&)>;
  Iterates(Teuchos::RCP<ManagedProblem> problem, Seen seen) : problem_(std::move(problem)), seen_(std::move(seen)) {}

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
  Teuchos::RCP<ManagedProblem> problem_;
  Seen seen_;
  int last_ = 0;
};

/// One manager of Belos and what it found. It solves for the correction of x, from 0: so its test of convergence, which
/// is relative to the first residual, and |b - A x| / |b| are the same but for a factor.
class Managed {
 public:
  Managed(Teuchos::RCP<const Operator> a, Teuchos::RCP<const Operator> preconditioner, const Options& options,
          MPI_Comm comm)
      : a_(std::move(a)),
        preconditioner_(std::move(preconditioner)),
        options_(options),
        watches_(options.watch, options.watched, comm) {
    given_ = Teuchos::parameterList(options.parameters);
    Factory factory = belos_factory();
    const auto list = Teuchos::parameterList();  // the factory sets what an alias means
    manager_ = factory.create(options.name, list);
    valid_ = manager_->getValidParameters();
    if (list->isType<bool>("Flexible Gmres")) given_->set("Flexible Gmres", list->get<bool>("Flexible Gmres"));
    check_against(*given_, *valid_,
                  {"Convergence Tolerance", "Maximum Iterations", "Rel RHS Err", "Verbosity", "Output Style",
                   "Output Frequency", "Output Stream", "Show Maximum Residual Norm Only", "Timer Label"},
                  "'" + options.name + "'");
  }

  /// Solves for some columns at a time; `each` receives |b - A x| / |b| of each.
  void columns(const MultiVector& b, MultiVector& x, const std::vector<double>& scales, std::vector<double>& each) {
    MultiVector r(b.getMap(), b.getNumVectors());
    each = measured(b, x, scales, r);
    int used = 0;
    bool ran = false, native = false;
    if (record(0, largest(each))) return;
    while (used < options_.maxiter && !watches_.stopped()) {
      std::vector<std::size_t> active;
      for (std::size_t j = 0; j < each.size(); ++j)
        if (!(each[j] <= tolerance(scales[j]))) active.push_back(j);
      if (active.empty()) break;
      const std::vector<double> before = each;
      const Run run = correct(*r.subCopy(Teuchos::arrayViewFromVector(active)), x, active, scales, before, used);
      used = std::min(used + run.iterations, options_.maxiter);
      ran = true;
      native = run.native;
      if (broken_) break;
      each = measured(b, x, scales, r);
      const bool better =
          std::any_of(active.begin(), active.end(), [&](std::size_t j) { return each[j] < before[j] / 2; });
      if (!run.claimed || !better) break;
    }
    if (ran && native)
      residuals.back() = largest(each);
    else if (ran && !watches_.stopped() && !broken_)
      record(used_products_, largest(each));
    iterations = std::max(iterations, used);
  }

  void rethrow() const { watches_.rethrow(); }
  bool stopped() const { return watches_.stopped(); }
  bool broken() const { return broken_; }
  double tolerance(double scale) const { return std::max(options_.tol, options_.atol / scale); }

  int iterations = 0;
  std::vector<double> residuals;

 private:
  struct Run {
    int iterations = 0;
    bool claimed = false;  // the manager says that it converged
    bool native = false;   // each of its iterations was seen
  };

  static double largest(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

  bool record(int iteration, double residual) {
    residuals.push_back(residual);
    return watches_.ask(iteration, residual);
  }

  std::vector<double> measured(const MultiVector& b, const MultiVector& x, const std::vector<double>& scales,
                               MultiVector& r) const {
    a_->apply(x, r);
    r.update(1, b, -1);
    std::vector<double> norms(scales.size());
    r.norm2(Teuchos::arrayViewFromVector(norms));
    for (std::size_t j = 0; j < norms.size(); ++j) norms[j] /= scales[j];
    return norms;
  }

  Teuchos::RCP<List> parameters(std::size_t columns, double tol, int maxiter) const {
    const auto list = Teuchos::parameterList(*given_);
    const auto set = [&](const char* name, auto value) {
      if (valid_->isParameter(name)) list->set(name, value);
    };
    set("Convergence Tolerance", tol);
    set("Rel RHS Err", tol);
    set("Maximum Iterations", maxiter);
    if (!list->isParameter("Rel Mat Err")) set("Rel Mat Err", 0.0);
    if (!list->isParameter("Maximum Restarts")) set("Maximum Restarts", maxiter);
    // GCRODR of Trilinos 13.2 fails if it ends before it has as many vectors as it is to recycle.
    constexpr int recycled = 5;  // Belos' default
    if (!list->isParameter("Num Recycled Blocks")) set("Num Recycled Blocks", std::clamp(maxiter - 1, 1, recycled));
    if (!list->isParameter("Block Size") && solves_together(canonical(options_.name)))
      set("Block Size", static_cast<int>(columns));
    const Teuchos::RCP<std::ostream> nowhere =
        Teuchos::rcp(new Teuchos::basic_oblackholestream<char, std::char_traits<char>>());
    set("Output Stream", nowhere);
    return list;
  }

  /// Adds to x what the manager finds for the residuals `r` of the columns `active`.
  Run correct(const MultiVector& r, MultiVector& x, const std::vector<std::size_t>& active,
              const std::vector<double>& scales, const std::vector<double>& before, int used) {
    const auto d = Teuchos::rcp(new MultiVector(r.getMap(), active.size()));
    double tol = 1;
    for (const std::size_t j : active) tol = std::min(tol, tolerance(scales[j]) / before[j]);
    Run run;
    const bool asks = options_.watched;
    MultiVector work(r.getMap(), asks && options_.measured ? active.size() : 1);
    const auto between = [&](int products) {
      if (!asks || run.native) return;
      double worst = std::numeric_limits<double>::quiet_NaN();
      if (options_.measured) {
        a_->apply(*d, work);
        work.update(1, r, -1);
        worst = worst_of(work, active, scales);
        residuals.push_back(worst);
      }
      if (watches_.ask(used_products_ + products, worst)) throw Stopped{};
    };
    const auto counted = Teuchos::rcp(new Counted(a_, between));
    const auto problem = Teuchos::rcp(new ManagedProblem(counted, d, Teuchos::rcpFromRef(r)));
    Teuchos::RCP<Counted> helper;
    if (!preconditioner_.is_null()) helper = Teuchos::rcp(new Counted(preconditioner_, [](int) {}));
    problem->setRightPrec(helper);
    problem->setInitResVec(Teuchos::rcpFromRef(r));
    problem->setProblem();
    const auto seen = [&](int iteration, const std::vector<double>& norms, const std::vector<int>& columns) {
      double worst = 0;
      for (std::size_t i = 0; i < columns.size(); ++i)
        if (columns[i] >= 0) worst = std::max(worst, norms[i] / scales[active[static_cast<std::size_t>(columns[i])]]);
      return record(used + iteration, worst);
    };
    try {
      manager_->setDebugStatusTest(Teuchos::rcp(new Iterates(problem, seen)));
      run.native = true;
    } catch (const std::logic_error&) {  // this manager has none
    }
    manager_->setProblem(problem);
    manager_->setParameters(parameters(active.size(), tol, options_.maxiter - used));
    try {
      const Quiet quiet(prints(canonical(options_.name)));
      run.claimed = manager_->solve() == Belos::Converged;
      run.iterations = manager_->getNumIters();
    } catch (const std::exception&) {
      counted->rethrow();
      if (!helper.is_null()) helper->rethrow();
      throw;
    } catch (const Stopped&) {
      run.iterations = run.native ? static_cast<int>(residuals.size()) - 1 - used : manager_->getNumIters();
    }
    used_products_ += counted->products();
    std::vector<double> norms(active.size());
    d->norm2(Teuchos::arrayViewFromVector(norms));
    broken_ = std::any_of(norms.begin(), norms.end(), [](double norm) { return !std::isfinite(norm); });
    if (broken_) return run;
    for (std::size_t i = 0; i < active.size(); ++i) x.getVectorNonConst(active[i])->update(1, *d->getVector(i), 1);
    return run;
  }

  static double worst_of(const MultiVector& r, const std::vector<std::size_t>& active,
                         const std::vector<double>& scales) {
    std::vector<double> norms(active.size());
    r.norm2(Teuchos::arrayViewFromVector(norms));
    double worst = 0;
    for (std::size_t i = 0; i < active.size(); ++i) worst = std::max(worst, norms[i] / scales[active[i]]);
    return worst;
  }

  Teuchos::RCP<const Operator> a_, preconditioner_;
  const Options& options_;
  Watches watches_;
  Teuchos::RCP<Manager> manager_;
  Teuchos::RCP<List> given_;
  Teuchos::RCP<const List> valid_;
  int used_products_ = 0;
  bool broken_ = false;
};

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

Solution solve_by_manager(const Teuchos::RCP<const Operator>& a, const Teuchos::RCP<const Operator>& preconditioner,
                          const MultiVector& b, MultiVector& x, const std::vector<double>& scales,
                          const Options& options, MPI_Comm comm) {
  const std::string name = canonical(options.name);
  if (prints(name) && !preconditioner.is_null())
    refuse("the method '" + name + "' has a preconditioner", "must have none, because Belos does not apply it",
           "leave it out, or use another method");
  Solution solution;
  solution.each.assign(scales.size(), 0);
  std::vector<std::size_t> wanted;  // columns whose right-hand side is not 0
  for (std::size_t j = 0; j < scales.size(); ++j) {
    if (scales[j] > 0)
      wanted.push_back(j);
    else
      x.getVectorNonConst(j)->putScalar(0);
  }
  const std::size_t at_a_time = solves_together(name) ? std::max<std::size_t>(wanted.size(), 1) : 1;
  bool stopped = false, broken = false;
  Definite definite;
  Teuchos::RCP<const Operator> seen_a = a, seen_m = preconditioner;
  if (preconditioned_as(options) == Method::cg) {
    if (name != "MINRES") seen_a = definite.matrix = Teuchos::rcp(new Remembering(a));  // MINRES takes indefinite ones
    if (!preconditioner.is_null()) seen_m = definite.preconditioner = Teuchos::rcp(new Remembering(preconditioner));
  }
  const auto solve_all = [&] {
    Managed managed(seen_a, seen_m, options, comm);
    for (std::size_t first = 0; first < wanted.size() && !stopped && !broken; first += at_a_time) {
      const std::vector<std::size_t> some(wanted.begin() + static_cast<std::ptrdiff_t>(first),
                                          wanted.begin() + static_cast<std::ptrdiff_t>(first + at_a_time));
      std::vector<double> of_some, each;
      for (const std::size_t j : some) of_some.push_back(scales[j]);
      const auto columns = Teuchos::arrayViewFromVector(some);
      managed.columns(*b.subView(columns), *x.subViewNonConst(columns), of_some, each);
      for (std::size_t i = 0; i < some.size(); ++i) solution.each[some[i]] = each[i];
      stopped = managed.stopped();
      broken = managed.broken();
    }
    if (stopped) managed.rethrow();
    solution.iterations = managed.iterations;
    solution.residuals = managed.residuals;
    solution.converged = true;
    for (std::size_t j = 0; j < scales.size(); ++j) {
      solution.residual = std::max(solution.residual, solution.each[j]);
      if (scales[j] > 0 && !(solution.each[j] <= managed.tolerance(scales[j]))) solution.converged = false;
    }
  };
  foreign_step(comm, "Belos", "use another method or preconditioner, or other options", solve_all,
               [&] { definite.refuse_indefinite(comm); });
  if (broken && !stopped)
    refuse("the iteration broke down: its solution became infinite", "must stay finite",
           "check if the matrix is singular, or use another method");
  if (solution.residuals.empty()) solution.residuals = {0};
  solution.stopped = stopped;
  return solution;
}

}  // namespace tridap::solvers
