#pragma once

#include <tridap/internal/collective_call.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/solvers/matrix.hpp>

#include <exception>
#include <functional>
#include <optional>
#include <utility>

#pragma GCC visibility push(hidden)

namespace tridap::solvers {

/// An operator that calls another one, on the same maps.
class Around : public Operator {
 public:
  explicit Around(Teuchos::RCP<const Operator> inner) : inner_(std::move(inner)) {}
  Teuchos::RCP<const Tpetra::Map<>> getDomainMap() const override { return inner_->getDomainMap(); }
  Teuchos::RCP<const Tpetra::Map<>> getRangeMap() const override { return inner_->getRangeMap(); }
  bool hasTransposeApply() const override { return inner_->hasTransposeApply(); }

 protected:
  const Operator& inner() const { return *inner_; }

 private:
  Teuchos::RCP<const Operator> inner_;
};

/// A preconditioner of Trilinos, which throws on all processes or on none. It is applied to one vector at a time: MueLu
/// and Ifpack2's Chebyshev polynomials of Trilinos 13.2 keep vectors, as many as those of their first use.
class Made : public Around {
 public:
  using Around::Around;
  void apply(const MultiVector& x, MultiVector& y, Teuchos::ETransp mode, double alpha, double beta) const override {
    if (x.getNumVectors() == 1) return inner().apply(x, y, mode, alpha, beta);
    for (std::size_t j = 0; j < x.getNumVectors(); ++j)
      inner().apply(*x.getVector(j), *y.getVectorNonConst(j), mode, alpha, beta);
  }
};

/// An operator that a user made. If it throws on one process, all processes throw.
class Guarded : public Around {
 public:
  Guarded(Teuchos::RCP<const Operator> inner, MPI_Comm comm) : Around(std::move(inner)), comm_(comm) {}
  void apply(const MultiVector& x, MultiVector& y, Teuchos::ETransp mode, double alpha, double beta) const override {
    mpi::collectively(comm_, [&] {
      const mpi::Callback user;
      inner().apply(x, y, mode, alpha, beta);
    });
  }

 private:
  MPI_Comm comm_;
};

/// An operator that throws on all processes or on none: `op`, or a Guarded one if a user made it. Null if `op` is.
inline Teuchos::RCP<const Operator> guarded(const Teuchos::RCP<const Operator>& op, MPI_Comm comm) {
  const bool safe = op.is_null() || !Teuchos::rcp_dynamic_cast<const CrsMatrix>(op).is_null() ||
                    !Teuchos::rcp_dynamic_cast<const Made>(op).is_null();
  return safe ? op : Teuchos::RCP<const Operator>(Teuchos::rcp(new Guarded(op, comm)));
}

/// Ends a manager's iteration on all processes. It is no std::exception, of which the managers print the text.
struct Stopped {};

/// An operator as a manager sees it: before each product but the first, `between` is called with the number of products
/// so far. It keeps, without a copy, what the last product y = A x read and wrote: if x . y is negative, A is not
/// positive definite.
class Observed : public Around {
 public:
  explicit Observed(Teuchos::RCP<const Operator> inner, std::function<void(int)> between = {})
      : Around(std::move(inner)), between_(std::move(between)) {}
  void apply(const MultiVector& x, MultiVector& y, Teuchos::ETransp mode, double alpha, double beta) const override {
    try {
      if (products_ > 0 && between_) between_(products_);
      ++products_;
      inner().apply(x, y, mode, alpha, beta);
      x_.emplace(x);  // the copy of a MultiVector has the same memory
      y_.emplace(y);
    } catch (const std::exception&) {
      thrown_ = std::current_exception();
      throw;
    }
  }
  int products() const { return products_; }
  /// Throws what apply() threw: MINRES of Trilinos 13.2 passes on a copy without its text.
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }
  /// The smallest x . y / (|x| |y|) of the vectors of the last product, while their memory has not changed; 0 if there
  /// was none. **Collective.**
  double smallest_cosine() const;

 private:
  std::function<void(int)> between_;
  mutable int products_ = 0;
  mutable std::exception_ptr thrown_;
  mutable std::optional<MultiVector> x_, y_;
};

/// Throws Error if the last product of `matrix` or `preconditioner` shows that it is not positive definite: of
/// conjugate gradients, the direction times the matrix, or the residual times the preconditioner. Null: it may be
/// indefinite, or there is none. **Collective.**
void refuse_indefinite(const Observed* matrix, const Observed* preconditioner, MPI_Comm comm);

/// The operator (A - sigma M)^-1 M of two matrices on one map, by an LU factorization of A - sigma M; `m` is null for
/// the identity. Its eigenvalues are 1 / (w - sigma) for those of A x = w M x: the largest ones belong to the w nearest
/// to sigma. It throws the same Error on every process or on none, as making it does, if A - sigma M is singular or
/// nearly singular. **Collective.**
Teuchos::RCP<const Operator> shift_invert(const Teuchos::RCP<const CrsMatrix>& a,
                                          const Teuchos::RCP<const CrsMatrix>& m, double sigma);

}  // namespace tridap::solvers

#pragma GCC visibility pop
