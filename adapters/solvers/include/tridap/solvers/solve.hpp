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
  belos,   ///< the manager of Belos that Options::name names
};

/// The names that Belos::SolverFactory of this Trilinos knows, in upper case: "BICGSTAB", "BLOCK CG", "MINRES", ...
std::vector<std::string> belos_methods();
/// Throws Error that names the nearest one, if `name` is none of belos_methods() in lower or upper case. Local.
void check_belos_method(const std::string& name);

/// Throws Error that names the nearest one, if `name` is neither "muelu" nor "ifpack2" nor, in lower or upper case, a
/// name of Ifpack2's factory. Local.
void check_preconditioner(const std::string& name);

/// "muelu", or "ifpack2" if Trilinos was built without MueLu.
const char* default_preconditioner();

/// What "muelu" may know about a problem; null: it does not.
struct Multigrid {
  Teuchos::RCP<const MultiVector> coordinates = {};  ///< of each row's point, one vector for each dimension
  /// Vectors that the matrix without boundary conditions maps to almost 0, such as the rigid motions of a body in
  /// elasticity. The default is one vector of ones; with "number of equations", one for each.
  Teuchos::RCP<const MultiVector> nullspace = {};
};

/// Makes a preconditioner, with which an iteration converges faster: "muelu", algebraic multigrid; "ifpack2"; or a name
/// of Ifpack2's factory, such as "schwarz", "relaxation" and "riluk". The default of "ifpack2" is a Chebyshev
/// polynomial for `cg`, and an incomplete LU of each process's part for the other methods. `parameters` replace
/// defaults; "type" names another kind of Ifpack2.
///
/// **Collective**: throws the same Error on every process if the library throws, with the library's own message, or if
/// Ifpack2 does not read a parameter. Null if the matrix has no rows.
Teuchos::RCP<const Operator> make_preconditioner(const std::string& name, Method method,
                                                 const Teuchos::RCP<const CrsMatrix>& matrix,
                                                 const Teuchos::ParameterList& parameters = {},
                                                 const Multigrid& multigrid = {});

/// A function that is called with each residual of the history, also with that of the initial guess. If it returns
/// true, the iteration stops. `residual` is |b - A x| / |b| in the 2-norm. If it throws on one process, all processes
/// throw an Error.
using Watch = std::function<bool(int iteration, double residual)>;

/// How to solve; the same on every process, but for `watch`.
struct Options {
  Method method = Method::cg;
  std::string name = {};  ///< for Method::belos: one of belos_methods()
  double tol = 1e-8;      ///< of |b - A x| / |b|
  double atol = 0;        ///< of |b - A x|: the larger of `tol` |b| and `atol` counts
  int maxiter = 1000;     ///< the total of all restarts
  /// The valid parameters of the manager, without those for tolerances, iterations and output. Of PSEUDOBLOCK CG, for
  /// `cg`: "Assert Positive Definiteness", ... Of PSEUDOBLOCK GMRES, for `gmres`: "Num Blocks" (iterations between
  /// restarts, by default at most 100), "Orthogonalization" ("ICGS", "IMGS" or "DGKS"), ...
  Teuchos::ParameterList parameters;
  Watch watch;           ///< may be null on some or all processes
  bool watched = false;  ///< whether each iteration calls the watches and combines their answers (one reduction)
  /// For `belos`, except its GMRES and PSEUDOBLOCK CG: the watches are called before each product with A but the first,
  /// with the number of products so far. If `measured`, the residual that they get is computed from x, by one more
  /// product; else it is NaN.
  bool measured = true;
};

/// `cg` if the method that `options` name is for symmetric matrices and keeps their symmetry, else `gmres`: what
/// make_preconditioner() needs.
Method preconditioned_as(const Options& options);

/// The result of a solve; the same on every process, except `seconds`.
struct Solution {
  int iterations = 0;  ///< the largest number for any right-hand side
  /// |b - A x| / |b|, the largest of the right-hand sides: of the initial guess, then after each iteration; for a
  /// direct method only that of the solution. For `belos`, except its GMRES and PSEUDOBLOCK CG: of the initial guess,
  /// those that watches got, and of the solution. A manager that solves for one right-hand side after the other has one
  /// such list after the other.
  std::vector<double> residuals;
  bool converged = false;    ///< each right-hand side's residual is at most its tolerance
  bool stopped = false;      ///< by a watch
  double residual = 0;       ///< |b - A x| / |b|, computed from `x`; the largest of the right-hand sides
  std::vector<double> each;  ///< the same for each right-hand side
  double seconds = 0;
};

/// Solves A x = b iteratively, in the memory of `x`, for one or several right-hand sides. The values of `x` are the
/// initial guess. `cg` and `gmres` are Belos' PSEUDOBLOCK CG and PSEUDOBLOCK GMRES. Nothing is printed. For b = 0 the
/// result is x = 0, without an iteration. If the iteration reports convergence, the residual is computed from `x`; the
/// iteration continues until this residual is below the tolerance too, or no longer decreases.
///
/// `preconditioner` may be null. **Collective**: throws the same Error on every process if the options differ, a
/// parameter is unknown, `b` or `x` is not on A's range map or not finite, the iteration breaks down, or `a` throws on
/// any process; `x` then has the values after some iteration. If `a` is not a Tpetra matrix, each product is followed
/// by a small reduction, so that `a` may throw on one process only; so is `preconditioner`, unless it is a Tpetra
/// matrix or of make_preconditioner(). An operator that communicates must throw on all processes.
Solution solve(const Teuchos::RCP<const Operator>& a, const Teuchos::RCP<const Operator>& preconditioner,
               const MultiVector& b, MultiVector& x, const Options& options);

/// A matrix factored into L and U once (Amesos2's KLU2, on the first process), for many right-hand sides.
class DirectSolver {
 public:
  /// **Collective**: throws the same Error on every process if the matrix is singular.
  explicit DirectSolver(const Teuchos::RCP<const CrsMatrix>& matrix);
  ~DirectSolver();

  /// Writes the solution into the memory of `x`. Each column is refined up to twice, until |b - A x| / |b| is at most
  /// `tol` and 1e-12. It is converged at max(tol |b|, atol). **Collective**: throws the same Error on every process if
  /// a vector is not on the map of the matrix, `b` is not finite, the tolerances of processes differ, or the residual
  /// is above 1e-6, because the matrix is nearly singular.
  Solution solve(const MultiVector& b, MultiVector& x, double tol = 1e-8, double atol = 0) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

}  // namespace tridap::solvers
