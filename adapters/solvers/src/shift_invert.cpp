#include "shift_invert.hpp"

#include "foreign_step.hpp"
#include "operators.hpp"
#include <tridap/solvers/solve.hpp>
#include <tridap/text.hpp>
#include <tridap/tpetra/compat.hpp>

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace tridap::solvers {

namespace {

using ShiftOrdinal = Tpetra::Map<>::global_ordinal_type;
using Entries = std::map<ShiftOrdinal, double>;  // of one row: values by global column

void add_row(Entries& entries, const CrsMatrix& matrix, int row, double factor) {
  CrsMatrix::local_inds_host_view_type columns;
  CrsMatrix::values_host_view_type values;
  matrix.getLocalRowView(row, columns, values);
  for (std::size_t k = 0; k < columns.extent(0); ++k)
    entries[matrix.getColMap()->getGlobalElement(columns(k))] += factor * values(k);
}

/// A - sigma M, with the rows of A.
Teuchos::RCP<const CrsMatrix> shifted(const CrsMatrix& a, const CrsMatrix* m, double sigma) {
  const auto map = a.getRowMap();
  const auto rows = static_cast<int>(tridap::tpetra::compat::local_count(*map));
  const auto made = mpi::collectively(comm_of(*map), [&] {
    std::vector<Entries> all(static_cast<std::size_t>(rows));
    Teuchos::Array<std::size_t> lengths(rows);
    for (int row = 0; row < rows; ++row) {
      Entries& entries = all[static_cast<std::size_t>(row)];
      add_row(entries, a, row, 1);
      if (m != nullptr)
        add_row(entries, *m, row, -sigma);
      else
        entries[map->getGlobalElement(row)] -= sigma;
      lengths[row] = entries.size();
    }
    auto matrix = Teuchos::rcp(new CrsMatrix(map, lengths()));
    std::vector<ShiftOrdinal> columns;
    std::vector<double> values;
    for (int row = 0; row < rows; ++row) {
      columns.clear();
      values.clear();
      for (const auto& [column, value] : all[static_cast<std::size_t>(row)]) {
        columns.push_back(column);
        values.push_back(value);
      }
      matrix->insertGlobalValues(map->getGlobalElement(row), static_cast<int>(columns.size()), values.data(),
                                 columns.data());
    }
    return matrix;
  });
  made->fillComplete(map, map);
  return made;
}

class ShiftInvert : public Operator {
 public:
  ShiftInvert(const CrsMatrix& a, Teuchos::RCP<const CrsMatrix> m, double sigma)
      : m_(std::move(m)), sigma_(sigma), map_(a.getRowMap()) {
    explained([&] { solver_ = std::make_unique<DirectSolver>(shifted(a, m_.get(), sigma)); });
  }

  Teuchos::RCP<const Tpetra::Map<>> getDomainMap() const override { return map_; }
  Teuchos::RCP<const Tpetra::Map<>> getRangeMap() const override { return map_; }
  void apply(const MultiVector& x, MultiVector& y, Teuchos::ETransp, double alpha, double beta) const override {
    MultiVector right(x, Teuchos::Copy), answer(map_, x.getNumVectors());
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
  Teuchos::RCP<const Tpetra::Map<>> map_;
  std::unique_ptr<DirectSolver> solver_;
};

}  // namespace

Teuchos::RCP<const Operator> shift_invert(const Teuchos::RCP<const CrsMatrix>& a,
                                          const Teuchos::RCP<const CrsMatrix>& m, double sigma) {
  return Teuchos::rcp(new Made(Teuchos::rcp(new ShiftInvert(*a, m, sigma))));
}

}  // namespace tridap::solvers
