#include "solvable.hpp"
#include "together.hpp"
#include <tridap/mpi/agree.hpp>

#include <optional>

namespace tridap::python {

namespace {

// The products of the operator and the vectors of `x`, in the array that `like(x)` returns, which is distributed as
// `x`.
// **Collective.**
py::object multiply(const Handle& handle, py::object x, const py::object& like) {
  const std::shared_ptr<Solvable> a = handle.usable();
  const py::object matvec = handle.matvec();  // Python code that runs meanwhile may replace the operator
  const MPI_Comm comm = a->array_map.comm();
  py::object y;
  const Array *from = nullptr, *to = nullptr;
  const auto check = [&] {
    from = array_behind(x);
    need_float64(*from, "x");
    vectors_axis(solver_array(*from, "x", false), a->array_map);
    y = like(x);
    to = &value_in<Array>(y);
  };
  std::optional<solvers::LocalVectors> of_x, of_y;
  const auto prepare = [&] {
    of_x.emplace(solver_array(*from, "x", false), a->array_map, Copy::if_needed, &a->copies);
    of_y.emplace(solver_array(*to, "y", true), a->array_map, Copy::if_needed, &a->copies);
  };
  const auto kind = [&](mpi::Record& record) { record.add(a->matrix.is_null() ? 1 : 0); };
  Beginning begun(handle, mpi::Library::trilinos, {x}, check, prepare, kind);
  if (!begun.is_same(0))
    on_all(comm, [] {
      refuse("A is a Matrix on some processes and a LinearOperator on others", "", "give every process the same");
    });
  if (!begun.is_ready()) {
    x = asarray(x, handle.comm(), py::none());
    begun.agree(check);
  }
  std::optional<Error> error;
  std::optional<py::error_already_set> raised;
  {
    const WithoutPython released;
    try {
      begun.call().run([&] {
        const auto import = [&](auto& local, const Array& array, const char* name) {
          if (begun.is_ready()) return local->join();
          return import_vectors(solver_array(array, name, &array == to), a->array_map, Copy::if_needed, &a->copies);
        };
        const solvers::Vectors vx = import(of_x, *from, "x"), vy = import(of_y, *to, "y");
        a->op->apply(*vx.vectors, *vy.vectors);
        vy.write_back();
      });
    } catch (const Error& wrong) {
      error = wrong;
    } catch (const std::exception& wrong) {  // what Python raised is still taken below
      error = Error(Finding{Rule::process_failure, {}, {}, "", wrong.what(), "", ""});
    }
    if (!a->matrix.is_null() && error) on_all(comm, [&] { throw Error(*error); });
    raised = taken(*a->raised);  // while no other thread can be inside of Trilinos
  }
  if (a->matrix.is_null()) raise_together(comm, std::move(raised), error);  // on one process alone, perhaps
  return y;
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
