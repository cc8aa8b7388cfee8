#include "operator.hpp"

#include "gil.hpp"
#include <tridap/internal/collective_call.hpp>
#include <tridap/kokkos/view.hpp>

#include <Tpetra_MultiVector.hpp>

#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace tridap::python {

namespace {

// A column of a solver's vectors as an array of `shape`; it keeps the memory alive.
template <class View>
py::array column_of(const View& columns, std::size_t j, const std::vector<Index>& shape, const MemoryOrder& order) {
  Buffer column = kokkos::export_buffer(Kokkos::subview(columns, Kokkos::ALL(), j));
  Buffer field = from_order(column.data, column.type, shape, order);
  field.owner = std::move(column.owner);
  field.read_only = column.read_only;
  return array_of(field);
}

// True if an array over a vector's memory may outlive the call. If a solver lends a vector from a pool, as Belos does
// with Trilinos 16, nothing keeps the memory of its views alive.
bool keeps_memory(const PythonOperator::MultiVector& vectors) {
  const auto view = vectors.getLocalViewHost(Tpetra::Access::ReadOnly);
  return view.data() == nullptr || kokkos::compat::keeps_memory(view);
}

// Throws TypeError if a product is returned, as SciPy's functions do: it would be lost.
void expect_filled(const py::object& returned, const py::array& y) {
  if (py::isinstance<py::array>(returned) && !returned.is(y))
    throw py::type_error("matvec returned an array, but it must write the product to its second argument");
}

std::vector<Index> extents(const std::vector<Range>& box) {
  std::vector<Index> shape;
  for (const Range& range : box) shape.push_back(range.size());
  return shape;
}

}  // namespace

PythonOperator::PythonOperator(tpetra::ArrayMap array_map, py::handle matvec, std::shared_ptr<Raised> raised)
    : array_map_(std::move(array_map)),
      shape_(extents(array_map_.distribution().part(array_map_.process(), Part::interior))),
      matvec_(matvec),
      raised_(std::move(raised)) {}

PythonOperator::~PythonOperator() = default;

void PythonOperator::apply(const MultiVector& x, MultiVector& y, Teuchos::ETransp mode, double alpha,
                           double beta) const {
  if (mode != Teuchos::NO_TRANS) throw std::invalid_argument("a LinearOperator has no transpose: take another method");
  const bool plain = alpha == 1 && beta == 0 && keeps_memory(y);
  MultiVector made, copied;
  if (!plain) made = MultiVector(y.getMap(), y.getNumVectors());
  MultiVector& product = plain ? y : made;
  const bool lent = !keeps_memory(x);
  if (lent) copied = MultiVector(x, Teuchos::Copy);
  const MultiVector& source = lent ? copied : x;
  product.putScalar(std::numeric_limits<double>::quiet_NaN());  // unfilled elements must not look like an answer
  {
    const WithPython gil;
    const mpi::Callback outside;
    const auto from = source.getLocalViewHost(Tpetra::Access::ReadOnly);
    const auto to = product.getLocalViewHost(Tpetra::Access::OverwriteAll);
    try {
      for (std::size_t j = 0; j < source.getNumVectors(); ++j) {
        const py::array filled = column_of(to, j, shape_, array_map_.order());
        expect_filled(matvec_(column_of(from, j, shape_, array_map_.order()), filled), filled);
      }
    } catch (py::error_already_set& error) {
      raised_->keep(error);
      throw std::runtime_error("matvec raised " + one_line(error));
    }
  }
  if (!plain) y.update(alpha, made, beta);
}

}  // namespace tridap::python
