#pragma once

#include <tridap/solvers/matrix.hpp>

#include <Teuchos_ParameterList.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tridap::solvers {

enum class Method {
  cg,      ///< conjugate gradients: symmetric positive definite matrices
  gmres,   ///< GMRES, restarted and preconditioned from the right
  direct,  ///< LU: DirectSolver
};

/// What makes an iteration converge faster: "muelu", algebraic multigrid, or "ifpack2", by default Chebyshev
/// polynomials for conjugate gradients and an incomplete LU of each process's part for GMRES; `parameters` ("type"
/// names another Ifpack2 kind) go over the defaults. **Collective**: throws the same Error on every process, with the
/// library's own words where it threw, and where no part of it read a parameter. Null where the matrix has no rows.
Teuchos::RCP<const Operator> make_preconditioner(const std::string& name, Method method,
                                                 const Teuchos::RCP<const CrsMatrix>& matrix,
                                                 const Teuchos::ParameterList& parameters);

/// Asked once for each number of the residual history, the first guess's included; true: stop. `residual` is
/// |b - A x| / |b| in the 2-norm. What it throws on one process is thrown on all, as an Error.
using Watch = std::function<bool(int iteration, double residual)>;

/// How to solve; the same on every process, but for `watch`.
struct Options {
  Method method = Method::cg;
  double tol = 1e-8;   ///< of |b - A x| / |b|
  int maxiter = 1000;  ///< in all, whatever the restarts
  /// To Belos: "Num Blocks" (GMRES: iterations between restarts, by default at most 100), "Orthogonalization" (GMRES:
  /// "ICGS", "IMGS" or "DGKS"), "Assert Positive Definiteness" (CG).
  Teuchos::ParameterList parameters;
  Watch watch;           ///< may be null, on any process
  bool watched = false;  ///< whether the watches are asked, and their answers reduced, in every iteration
};

/// What came of it; the same on every process, but for `seconds`.
struct Solution {
  int iterations = 0;
  /// |b - A x| / |b|: first of the first guess, then after each iteration; for a direct method of the answer alone.
  std::vector<double> residuals;
  bool converged = false;  ///< `residual` is at most the tolerance
  bool stopped = false;    ///< by a watch
  double residual = 0;     ///< |b - A x| / |b|, computed from the answer
  double seconds = 0;
};

/// Solves A x = b from what stands in `x`, in the memory of `x`; nothing is printed. A solution for b = 0 is x = 0, at
/// once. An iteration that calls itself converged goes on from the residual computed anew until that is below the
/// tolerance too, or it gets no smaller.
///
/// `preconditioner` may be null. **Collective**: throws the same Error on every process where the options differ or a
/// parameter is unknown, vectors are not on A's map or not finite, the iteration breaks down, or `a` throws on any
/// process; `x` is then what it was after some iteration. An operator that is no Tpetra matrix is asked through one
/// small reduction each time, so that it may throw on one process; where it communicates itself, it must throw on all.
Solution solve(const Teuchos::RCP<const Operator>& a, const Teuchos::RCP<const Operator>& preconditioner,
               const Vector& b, Vector& x, const Options& options);

/// A matrix factored into L and U once (Amesos2's KLU2, on the first process) for many right-hand sides.
class DirectSolver {
 public:
  /// **Collective**: throws the same Error on every process where the matrix is singular.
  explicit DirectSolver(const Teuchos::RCP<const CrsMatrix>& matrix);
  ~DirectSolver();

  /// The answer stands in the memory of `x`; it is refined up to twice, until |b - A x| / |b| is at most `tol` and
  /// 1e-12. **Collective**: throws the same Error on every process where vectors are not on the matrix' map, `b` is not
  /// finite, the processes were given different tolerances, or the residual is above 1e-6, as of a matrix that is all
  /// but singular.
  Solution solve(const Vector& b, Vector& x, double tol = 1e-8) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

}  // namespace tridap::solvers
