#pragma once

#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Tpetra_Operator.hpp>

#include <string>
#include <vector>

namespace examples {

struct Solution {
  int iterations = 0;             ///< 0 for a direct method
  double residual = 0;            ///< the largest of `residuals`
  std::vector<double> residuals;  ///< of each column: |b - A x| / |b| in the 2-norm, computed from the solution
};

enum class Method {
  cg,        ///< conjugate gradients (Belos), preconditioned by algebraic multigrid (MueLu; without it Ifpack2's
             ///< Chebyshev polynomials)
  block_cg,  ///< the same with one search space for all columns, and Chebyshev polynomials
  gmres,     ///< GMRES (Belos), preconditioned by an incomplete LU of each process's part (Ifpack2)
  direct,    ///< LU (Amesos2's KLU2)
};

/// A solver that is set up once for many right-hand sides.
class Solver {
 public:
  using Matrix = Tpetra::CrsMatrix<double>;
  using MultiVector = Tpetra::MultiVector<double>;

  /// `matrix` is symmetric, and for conjugate gradients positive definite. **Collective.**
  explicit Solver(Teuchos::RCP<const Matrix> matrix, Method method = Method::cg);

  std::string name() const;  ///< "CG + MueLu"

  /// Solves A x = b in the memory of `x`, which has as many columns as `b`. Iterative methods start from x = 0 and stop
  /// at a residual of 1e-12 |b|. **Collective.**
  Solution solve(const MultiVector& b, MultiVector& x) const;

 private:
  Teuchos::RCP<const Matrix> matrix_;
  Method method_;
  Teuchos::RCP<const Tpetra::Operator<double>> preconditioner_;  // null for the direct method
};

}  // namespace examples
