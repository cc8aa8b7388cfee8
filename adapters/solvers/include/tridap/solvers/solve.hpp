#pragma once

#include <tridap/solvers/matrix.hpp>

#include <Teuchos_ParameterList.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tridap::solvers {

/// How to solve a system.
enum class Method {
  cg,      ///< conjugate gradients: symmetric positive definite matrices
  gmres,   ///< GMRES, restarted and preconditioned from the right
  direct,  ///< LU: DirectSolver
};

/// Makes a preconditioner, with which an iteration converges faster: "muelu", algebraic multigrid, or "ifpack2". The
/// default of "ifpack2" is a Chebyshev polynomial for conjugate gradients, and an incomplete LU of each process's part
/// for GMRES. `parameters` replace defaults; "type" names another kind of Ifpack2.
///
/// **Collective**: throws the same Error on every process if the library throws, with the library's own message, or if
/// Ifpack2 does not read a parameter. Null if the matrix has no rows.
Teuchos::RCP<const Operator> make_preconditioner(const std::string& name, Method method,
                                                 const Teuchos::RCP<const CrsMatrix>& matrix,
                                                 const Teuchos::ParameterList& parameters);

/// A function that is called with each residual of the history, also with that of the initial guess. If it returns
/// true, the iteration stops. `residual` is |b - A x| / |b| in the 2-norm. If it throws on one process, all processes
/// throw an Error.
using Watch = std::function<bool(int iteration, double residual)>;

/// How to solve; the same on every process, but for `watch`.
struct Options {
  Method method = Method::cg;
  double tol = 1e-8;   ///< of |b - A x| / |b|
  int maxiter = 1000;  ///< the total of all restarts
  /// For Belos: "Num Blocks" (GMRES: iterations between restarts, by default at most 100), "Orthogonalization" (GMRES:
  /// "ICGS", "IMGS" or "DGKS"), "Assert Positive Definiteness" (CG).
  Teuchos::ParameterList parameters;
  Watch watch;           ///< may be null on some or all processes
  bool watched = false;  ///< whether each iteration calls the watches and combines their answers (one reduction)
};

/// The result of a solve; the same on every process, except `seconds`.
struct Solution {
  int iterations = 0;
  /// |b - A x| / |b|: of the initial guess, then after each iteration; for a direct method only that of the solution.
  std::vector<double> residuals;
  bool converged = false;  ///< `residual` is at most the tolerance
  bool stopped = false;    ///< by a watch
  double residual = 0;     ///< |b - A x| / |b|, computed from `x`
  double seconds = 0;
};

/// Solves A x = b iteratively, in the memory of `x`. The values of `x` are the initial guess. Nothing is printed. For b
/// = 0 the result is x = 0, without an iteration. If the iteration reports convergence, the residual is computed from
/// `x`; the iteration continues until this residual is below the tolerance too, or no longer decreases.
///
/// `preconditioner` may be null. **Collective**: throws the same Error on every process if the options differ, a
/// parameter is unknown, `b` or `x` is not on A's range map or not finite, the iteration breaks down, or `a` throws on
/// any process; `x` then has the values after some iteration. If `a` is not a Tpetra matrix, each product is followed
/// by a small reduction, so that `a` may throw on one process only. An operator that communicates must throw on all
/// processes.
Solution solve(const Teuchos::RCP<const Operator>& a, const Teuchos::RCP<const Operator>& preconditioner,
               const Vector& b, Vector& x, const Options& options);

/// A matrix factored into L and U once (Amesos2's KLU2, on the first process), for many right-hand sides.
class DirectSolver {
 public:
  /// **Collective**: throws the same Error on every process if the matrix is singular.
  explicit DirectSolver(const Teuchos::RCP<const CrsMatrix>& matrix);
  ~DirectSolver();

  /// Writes the solution into the memory of `x`. The solution is refined up to twice, until |b - A x| / |b| is at most
  /// `tol` and 1e-12. **Collective**: throws the same Error on every process if a vector is not on the map of the
  /// matrix, `b` is not finite, the tolerances of processes differ, or the residual is above 1e-6, because the matrix
  /// is nearly singular.
  Solution solve(const Vector& b, Vector& x, double tol = 1e-8) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

}  // namespace tridap::solvers
