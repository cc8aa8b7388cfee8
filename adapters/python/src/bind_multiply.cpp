#include "solvable.hpp"
#include "together.hpp"
#include <tridap/mpi/agree.hpp>

#include <optional>

namespace tridap::python {

namespace {

// The products of the operator and the vectors of `x`, in the array that `like(x)` returns, which is distributed as
// `x`.
// **Collective.**
py::object multiply(const Handle& handle, const py::object& x, const py::object& like) {
  const std::shared_ptr<Solvable> a = handle.usable();
  const py::object matvec = handle.matvec();  // Python code that runs meanwhile may replace the operator
  const MPI_Comm comm = a->array_map.comm();
  const auto check = [&](const Array& from, const Array&) {
    need_float64(from, "x");
    vectors_axis(solver_array(from, "x", false), a->array_map);
    return Copy::if_needed;
  };
  const auto kind = [&](mpi::Record& record) { record.add(a->matrix.is_null() ? 1 : 0); };
  Beginning begun(
      handle, mpi::Library::trilinos, {"x", "y"},
      [&] {
        return Operands{x, py::none(), like};
      },
      check, kind);
  if (!begun.is_same(0))
    on_all(comm, [] {
      refuse("A is a Matrix on some processes and a LinearOperator on others", "", "give every process the same");
    });
  run_inside(comm, {a.get()}, a->matrix.is_null(), nullptr, [&] {
    const auto [from, to] = begun.join();
    a->op->apply(*from.vectors, *to.vectors);
    to.write_back();
  });
  return begun.target();
}

// Stores the diagonal of the matrix in `y`; 0 if a row has no entry there. **Collective.**
void diagonal(const Matrix& handle, const Array& y) {
  const std::shared_ptr<Solvable> a = handle.usable();
  inside_on_all(a->array_map.comm(), [&] {
    const auto vy = import_vectors(solver_array(y, "y", true), a->array_map, Copy::if_needed, &a->copies);
    a->matrix->getLocalDiagCopy(*vy.vectors->getVectorNonConst(0));
    vy.write_back();
  });
}

template <class T>
void bind(py::class_<T>& type) {
  type.def("_multiply", [](const py::object& a, const py::object& x, const py::object& like) {
    return multiply(made<T>(a), x, like);
  });
}

}  // namespace

void bind_multiply(py::class_<Matrix>& matrix, py::class_<LinearOperator>& op) {
  bind(matrix);
  bind(op);
  matrix.def("_diagonal", [](const py::object& a, const Array& y) { diagonal(made<Matrix>(a), y); });
}

}  // namespace tridap::python
