#pragma once

#include <tridap/internal/collective_call.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/solvers/matrix.hpp>

#include <exception>
#include <functional>
#include <utility>

#pragma GCC visibility push(hidden)

namespace tridap::solvers {

/// A preconditioner of Trilinos, which throws on all processes or on none. It is applied to one vector at a time: MueLu
/// and Ifpack2's Chebyshev polynomials of Trilinos 13.2 keep vectors, as many as those of their first use.
class Made : public Operator {
 public:
  explicit Made(Teuchos::RCP<const Operator> made) : made_(std::move(made)) {}

  Teuchos::RCP<const Tpetra::Map<>> getDomainMap() const override { return made_->getDomainMap(); }
  Teuchos::RCP<const Tpetra::Map<>> getRangeMap() const override { return made_->getRangeMap(); }
  bool hasTransposeApply() const override { return made_->hasTransposeApply(); }
  void apply(const MultiVector& x, MultiVector& y, Teuchos::ETransp mode, double alpha, double beta) const override {
    if (x.getNumVectors() == 1) return made_->apply(x, y, mode, alpha, beta);
    for (std::size_t j = 0; j < x.getNumVectors(); ++j)
      made_->apply(*x.getVector(j), *y.getVectorNonConst(j), mode, alpha, beta);
  }

 private:
  Teuchos::RCP<const Operator> made_;
};

/// An operator that a user made. If it throws on one process, all processes throw.
class Guarded : public Operator {
 public:
  Guarded(Teuchos::RCP<const Operator> asked, MPI_Comm comm) : asked_(std::move(asked)), comm_(comm) {}

  Teuchos::RCP<const Tpetra::Map<>> getDomainMap() const override { return asked_->getDomainMap(); }
  Teuchos::RCP<const Tpetra::Map<>> getRangeMap() const override { return asked_->getRangeMap(); }
  bool hasTransposeApply() const override { return asked_->hasTransposeApply(); }
  void apply(const MultiVector& x, MultiVector& y, Teuchos::ETransp mode, double alpha, double beta) const override {
    mpi::collectively(comm_, [&] {
      const mpi::Callback user;
      asked_->apply(x, y, mode, alpha, beta);
    });
  }

 private:
  Teuchos::RCP<const Operator> asked_;
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

/// The matrix as the managers see it: before each product but the first, `between` is called with the number of
/// products so far.
class Counted : public Operator {
 public:
  Counted(Teuchos::RCP<const Operator> a, std::function<void(int)> between)
      : a_(std::move(a)), between_(std::move(between)) {}

  Teuchos::RCP<const Tpetra::Map<>> getDomainMap() const override { return a_->getDomainMap(); }
  Teuchos::RCP<const Tpetra::Map<>> getRangeMap() const override { return a_->getRangeMap(); }
  bool hasTransposeApply() const override { return a_->hasTransposeApply(); }
  void apply(const MultiVector& x, MultiVector& y, Teuchos::ETransp mode, double alpha, double beta) const override {
    try {
      if (products_ > 0) between_(products_);
      ++products_;
      a_->apply(x, y, mode, alpha, beta);
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

 private:
  Teuchos::RCP<const Operator> a_;
  std::function<void(int)> between_;
  mutable int products_ = 0;
  mutable std::exception_ptr thrown_;
};

}  // namespace tridap::solvers

#pragma GCC visibility pop
