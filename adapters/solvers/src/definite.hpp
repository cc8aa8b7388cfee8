#pragma once

#include <tridap/solvers/matrix.hpp>

#include <mpi.h>

#include <optional>
#include <string>
#include <utility>

#pragma GCC visibility push(hidden)

namespace tridap::solvers {

/// An operator that keeps, without a copy, what its last product y = A x read and wrote. If x . y is negative, A is not
/// positive definite.
class Remembering : public Operator {
 public:
  explicit Remembering(Teuchos::RCP<const Operator> asked) : asked_(std::move(asked)) {}

  Teuchos::RCP<const Tpetra::Map<>> getDomainMap() const override { return asked_->getDomainMap(); }
  Teuchos::RCP<const Tpetra::Map<>> getRangeMap() const override { return asked_->getRangeMap(); }
  bool hasTransposeApply() const override { return asked_->hasTransposeApply(); }
  void apply(const MultiVector& x, MultiVector& y, Teuchos::ETransp mode, double alpha, double beta) const override {
    asked_->apply(x, y, mode, alpha, beta);
    x_.emplace(x);  // the copy of a MultiVector has the same memory
    y_.emplace(y);
    ++products_;
  }

  Index products() const { return products_; }
  /// The smallest x . y / (|x| |y|) of the vectors of the last product, while their memory has not changed; 0 if there
  /// was none. **Collective.**
  double smallest_cosine() const;

 private:
  Teuchos::RCP<const Operator> asked_;
  mutable std::optional<MultiVector> x_, y_;
  mutable Index products_ = 0;
};

/// The matrix and the preconditioner of a method that needs positive definite ones; null: it may have any, or there is
/// none.
struct Definite {
  Teuchos::RCP<const Remembering> matrix, preconditioner;

  /// Throws Error if the last product of one of them shows that it is not positive definite: of conjugate gradients,
  /// the residual times the preconditioner, or the direction times the matrix. **Collective.**
  void refuse_indefinite(MPI_Comm comm) const;
};

}  // namespace tridap::solvers

#pragma GCC visibility pop
