#include "solvable.hpp"
#include "together.hpp"
#include <tridap/mpi/agree.hpp>

#include <optional>

namespace tridap::python {

namespace {

// Fills the vectors of an array by `fill`, which is called inside of Trilinos on all processes together. What it, or
// Python code that it calls, throws on one process is thrown on all. **Collective.**
template <class Fill>
void fill_vectors(Solvable& a, const Array& y, const Fill& fill) {
  const MPI_Comm comm = a.array_map.comm();
  std::optional<Error> error;
  std::optional<py::error_already_set> raised;
  {
    const Native native(comm);
    try {
      const auto vy = import_vectors(solver_array(y, "y", true), a.array_map, Copy::if_needed, &a.copies);
      fill(*vy.vectors);
      vy.write_back();
    } catch (const Error& wrong) {
      error = wrong;
    } catch (const std::exception& wrong) {  // for example, out of memory; what Python raised is still taken below
      error = Error(Finding{Rule::process_failure, {}, {}, "", wrong.what(), "", ""});
    }
    raised = taken(*a.raised);  // while no other thread can be inside of Trilinos
  }
  y.changed();
  raise_together(comm, std::move(raised));
  together(comm, [&] {
    if (error) throw Error(*error);
    return true;
  });
}

// Stores the products of the operator and the vectors of `x` in `y`, which is distributed as `x`. **Collective.**
void multiply(const Handle& handle, const Array& x, const Array& y) {
  const std::shared_ptr<Solvable> a = handle.usable();
  const py::object matvec = handle.matvec();  // Python code that runs meanwhile may replace the operator
  together(a->array_map.comm(), [&] {
    need_float64(x, "x");
    vectors_axis(solver_array(x, "x", false), a->array_map);
    return true;
  });
  fill_vectors(*a, y, [&](solvers::MultiVector& products) {
    const auto vx = import_vectors(solver_array(x, "x", false), a->array_map, Copy::if_needed, &a->copies);
    a->op->apply(*vx.vectors, products);
  });
}

// Stores the diagonal of the matrix in `y`; 0 if a row has no entry there. **Collective.**
void diagonal(const Matrix& handle, const Array& y) {
  const std::shared_ptr<Solvable> a = handle.usable();
  fill_vectors(*a, y,
               [&](solvers::MultiVector& entries) { a->matrix->getLocalDiagCopy(*entries.getVectorNonConst(0)); });
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
