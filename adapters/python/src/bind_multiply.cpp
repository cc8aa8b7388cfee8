#include "solvable.hpp"
#include "together.hpp"
#include <tridap/mpi/agree.hpp>
#include <tridap/tpetra/import.hpp>

#include <vector>

namespace tridap::python {

namespace {

// Fills the vector of an array by `fill`, which is called inside of Trilinos on all processes together. What it, or
// Python code that it calls, throws on one process is thrown on all. **Collective.**
template <class Fill>
void fill_vector(const Solvable& a, const Array& y, const Fill& fill) {
  const MPI_Comm comm = a.array_map.comm();
  std::optional<Error> error;
  std::optional<py::error_already_set> raised;
  std::vector<double> answer;  // only if it must be written back
  bool shared = true;
  {
    const Native native;
    try {
      const auto vy = tpetra::import_vector<double>(y.array(), a.array_map, Copy::if_needed);
      fill(*vy.vector);
      shared = vy.receipt.shared;
      if (!shared) {
        const auto data = vy.vector->getData();
        answer.assign(data.begin(), data.end());
      }
    } catch (const Error& wrong) {
      error = wrong;
    } catch (const std::exception& wrong) {  // for example, out of memory; what Python raised is still taken below
      error = Error(Finding{Rule::process_failure, {}, {}, "", wrong.what(), "", ""});
    }
    raised = taken(*a.raised);  // while no other thread can be inside of Trilinos
  }
  raise_together(comm, std::move(raised));
  together(comm, [&] {
    if (error) throw Error(*error);
    if (!shared) write_back(y, answer.data(), a.array_map);
    return true;
  });
}

// Stores the product of the operator and `x` in `y`, which has the distribution of the rows. **Collective.**
void multiply(const Handle& handle, const Array& x, const Array& y) {
  const std::shared_ptr<Solvable> a = handle.solvable();
  const py::object matvec = handle.matvec();  // Python code that runs meanwhile may replace the operator
  together(a->array_map.comm(), [&] {
    need_float64(x, "x");
    need_distribution_of(a->array_map, x, "x");
    return true;
  });
  fill_vector(*a, y, [&](tpetra::Vector<double>& product) {
    const auto vx = tpetra::import_vector<const double>(x.array(), a->array_map, Copy::if_needed);
    a->op->apply(*vx.vector, product);
  });
}

// Stores the diagonal of the matrix in `y`; 0 if a row has no entry there. **Collective.**
void diagonal(const Matrix& handle, const Array& y) {
  const std::shared_ptr<Solvable> a = handle.solvable();
  fill_vector(*a, y, [&](tpetra::Vector<double>& entries) { a->matrix->getLocalDiagCopy(entries); });
}

template <class T>
void bind(py::class_<T>& type) {
  type.def("_multiply", [](const py::object& a, const Array& x, const Array& y) { multiply(made<T>(a), x, y); });
}

}  // namespace

void bind_multiply(py::class_<Matrix>& matrix, py::class_<LinearOperator>& op) {
  bind(matrix);
  bind(op);
  matrix.def("_diagonal", [](const py::object& a, const Array& y) { diagonal(made<Matrix>(a), y); });
}

}  // namespace tridap::python
