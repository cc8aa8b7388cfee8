#pragma once

#include <tridap/solvers/solve.hpp>

#include <optional>
#include <vector>

namespace tridap::solvers {

/// How to find eigenvalues of a symmetric matrix.
enum class EigenMethod {
  lobpcg,        ///< locally optimal block preconditioned conjugate gradients: at the ends of the spectrum
  krylov_schur,  ///< block Krylov-Schur, restarted: also by magnitude; no preconditioner, and M only with a sigma
};

/// Which eigenvalues to find.
enum class Which { smallest, largest, largest_magnitude, smallest_magnitude };

/// The same on every process, but for `watch`.
struct EigenOptions {
  EigenMethod method = EigenMethod::lobpcg;
  Which which = Which::smallest;
  /// For krylov_schur: shift and invert. `which` then chooses among v = 1 / (w - sigma), as in SciPy: largest_magnitude
  /// are the w nearest to sigma, largest those above it, smallest those below it. A and M must be Tpetra matrices;
  /// A - sigma M is factored on the first process (DirectSolver).
  std::optional<double> sigma = {};
  double tol = 1e-8;   ///< of |A x - w M x| / (|w| |x|); with sigma, of |(A - sigma M)^-1 M x - v x| / (|v| |x|)
  int maxiter = 1000;  ///< iterations of lobpcg; restarts of krylov_schur, in each attempt
  Watch watch;  ///< is called before each product with A, or solve with sigma, with the number of them so far, and NaN
  bool watched = false;
};

/// The same on every process, but for `seconds`.
struct EigenSolution {
  std::vector<double> values;     ///< ascending; as many as were found, at most as many as there are vectors
  std::vector<double> residuals;  ///< |A x - w M x| / |x| of each, computed from its vector
  bool converged = false;         ///< a value was found for each vector of `x`
  bool stopped = false;           ///< by a watch
  int iterations = 0;             ///< of all attempts
  double seconds = 0;
};

/// Finds as many eigenvalues w and eigenvectors of A x = w M x as `x` has vectors. A is symmetric, M symmetric and
/// positive definite, or null for the identity. Vectors of `x` that are not 0 are the first guess; the others are
/// pseudorandom and do not depend on the number of processes. In the end `x` holds the eigenvectors, in the order of
/// the values, and of length 1 in the norm of M. If fewer are found, the others are 0. Nothing is printed.
///
/// Anasazi's krylov_schur sometimes confuses the vectors of equal eigenvalues. Therefore each vector is compared with
/// its value. If they do not belong together, the computation begins again from other pseudorandom vectors, at most
/// three times. If they do not belong together then either, `converged` is false.
///
/// `preconditioner`, for lobpcg, is symmetric and positive definite, or null. **Collective**: throws the same Error on
/// every process if the options differ, an argument is not on A's map or not finite, there are fewer than three rows
/// for each vector, A - sigma M is singular or nearly singular, or an operator throws on any process.
EigenSolution find_eigenvalues(const Teuchos::RCP<const Operator>& a, const Teuchos::RCP<const Operator>& m,
                               const Teuchos::RCP<const Operator>& preconditioner, MultiVector& x,
                               const EigenOptions& options);

}  // namespace tridap::solvers
