#pragma once

#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Operator.hpp>
#include <Tpetra_Vector.hpp>

namespace examples {

struct Solution {
  int iterations = 0;
  double residual = 0;  ///< |b - A x| / |b| in the 2-norm, computed from the answer
};

/// Conjugate gradients (Belos) with an algebraic multigrid preconditioner (MueLu; Chebyshev polynomials of Ifpack2
/// where there is no MueLu), set up once for many right-hand sides.
class Solver {
 public:
  using Matrix = Tpetra::CrsMatrix<double>;
  using Vector = Tpetra::Vector<double>;

  explicit Solver(Teuchos::RCP<const Matrix> matrix);  ///< **Collective.**

  /// Solves A x = b from x = 0, to 1e-12 of |b|; the answer stands in the memory of `x`. **Collective.**
  Solution solve(const Vector& b, Vector& x) const;

 private:
  Teuchos::RCP<const Matrix> matrix_;
  Teuchos::RCP<const Tpetra::Operator<double>> preconditioner_;
};

}  // namespace examples
