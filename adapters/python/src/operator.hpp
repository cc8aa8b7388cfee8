#pragma once

#include "array.hpp"
#include <tridap/tpetra/array_map.hpp>

#include <Tpetra_Operator.hpp>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tridap::python {

/// The first exception that Python raised on this process while other processes were still working. It is kept until
/// all of them have stopped. All calls hold the GIL.
class Raised {
 public:
  void keep(const py::error_already_set& error) {
    if (!error_) error_.emplace(error);
  }
  bool any() const { return error_.has_value(); }
  std::optional<py::error_already_set> take() { return std::exchange(error_, std::nullopt); }

 private:
  std::optional<py::error_already_set> error_;
};

/// An operator. A Python function, `matvec(x_local, y_local)`, computes its product. The arrays have the local
/// shape of the interior. Their memory is that of the solver's own vectors, or of copies if nothing keeps the memory
/// of the solver's vectors alive. `x_local` cannot be written.
class PythonOperator : public Tpetra::Operator<double> {
 public:
  using MultiVector = Tpetra::MultiVector<double>;
  using Map = tpetra::Map;

  /// The function must outlive every call of apply().
  PythonOperator(tpetra::ArrayMap array_map, py::handle matvec, std::shared_ptr<Raised> raised);
  ~PythonOperator() override;
  PythonOperator(const PythonOperator&) = delete;
  PythonOperator& operator=(const PythonOperator&) = delete;

  Teuchos::RCP<const Map> getDomainMap() const override { return array_map_.map(); }
  Teuchos::RCP<const Map> getRangeMap() const override { return array_map_.map(); }
  void apply(const MultiVector& x, MultiVector& y, Teuchos::ETransp mode, double alpha, double beta) const override;

 private:
  tpetra::ArrayMap array_map_;
  std::vector<Index> shape_;  // of the interior on this process
  py::handle matvec_;
  std::shared_ptr<Raised> raised_;
};

}  // namespace tridap::python
