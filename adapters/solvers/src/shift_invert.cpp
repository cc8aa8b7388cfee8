#include "foreign_step.hpp"
#include "operators.hpp"
#include <tridap/mpi/agree.hpp>
#include <tridap/solvers/solve.hpp>
#include <tridap/text.hpp>
#include <tridap/tpetra/compat.hpp>

#include <TpetraExt_MatrixMatrix.hpp>

#include <memory>
#include <utility>

namespace tridap::solvers {

namespace {

/// A - sigma M, with the rows of A; `m` is null for the identity. **Collective.**
Teuchos::RCP<const CrsMatrix> shifted(const CrsMatrix& a, Teuchos::RCP<const CrsMatrix> m, double sigma) {
  const auto map = a.getRowMap();
  Teuchos::RCP<const CrsMatrix> sum;
  Teuchos::RCP<CrsMatrix> identity;
  if (m.is_null())
    mpi::collectively(comm_of(*map), [&] {
      identity = Teuchos::rcp(new CrsMatrix(map, 1));
      const auto rows = static_cast<int>(tridap::tpetra::compat::local_count(*map));
      for (int row = 0; row < rows; ++row) {
        const auto column = map->getGlobalElement(row);
        constexpr double one = 1;
        identity->insertGlobalValues(column, 1, &one, &column);
      }
    });
  foreign_step(comm_of(*map), "Tpetra", "give other matrices", [&] {
    if (!identity.is_null()) {
      identity->fillComplete(map, map);
      m = identity;
    }
    sum = Tpetra::MatrixMatrix::add(1.0, false, a, -sigma, false, *m, map, map);
  });
  return sum;
}

class ShiftInvert : public Around {
 public:
  ShiftInvert(const Teuchos::RCP<const CrsMatrix>& a, Teuchos::RCP<const CrsMatrix> m, double sigma)
      : Around(a), m_(std::move(m)), sigma_(sigma) {
    explained([&] { solver_ = std::make_unique<DirectSolver>(shifted(*a, m_, sigma)); });
  }

  void apply(const MultiVector& x, MultiVector& y, Teuchos::ETransp, double alpha, double beta) const override {
    MultiVector right(x, Teuchos::Copy), answer(getRangeMap(), x.getNumVectors());
    if (!m_.is_null()) m_->apply(x, right);
    explained([&] { solver_->solve(right, answer); });
    y.update(alpha, answer, beta);
  }

 private:
  template <class Step>
  void explained(Step&& step) const {
    try {
      step();
    } catch (const Error& error) {
      Finding finding = error.report().findings().front();
      if (finding.rule != Rule::conversion) throw;  // no memory, for example
      finding.value = "sigma is " + number_text(sigma_, 15) + ": " + finding.value;
      finding.remedy = std::string(m_.is_null() ? "A - sigma I" : "A - sigma M") +
                       " is singular or nearly singular if sigma is an eigenvalue: give another sigma near it";
      throw Error(finding);
    }
  }

  Teuchos::RCP<const CrsMatrix> m_;
  double sigma_;
  std::unique_ptr<DirectSolver> solver_;
};

}  // namespace

Teuchos::RCP<const Operator> shift_invert(const Teuchos::RCP<const CrsMatrix>& a,
                                          const Teuchos::RCP<const CrsMatrix>& m, double sigma) {
  return Teuchos::rcp(new Made(Teuchos::rcp(new ShiftInvert(a, m, sigma))));
}

}  // namespace tridap::solvers
