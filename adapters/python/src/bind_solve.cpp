#include "comm.hpp"
#include "parameters.hpp"
#include "solvable.hpp"
#include "together.hpp"
#include <tridap/mpi/regions.hpp>
#include <tridap/tpetra/trace.hpp>

#include <pybind11/stl.h>

#include <optional>

namespace tridap::python {

namespace {

using namespace py::literals;
using solvers::Method;

LinearOperator make_operator(const Array& rows, const py::object& matvec, const py::object& comm) {
  const MPI_Comm handle = comm_of(comm);
  together(handle, [&] {
    need_callable(matvec, "matvec");
    return true;
  });
  need_kokkos();
  return {inside(handle,
                 [&] {
                   auto raised = std::make_shared<Raised>();
                   const tpetra::ArrayMap array_map(rows.array(), *rows.distribution(), handle, numbering_of(rows));
                   const auto op = Teuchos::rcp(new PythonOperator(array_map, matvec, raised));
                   auto made = std::make_shared<Solvable>(array_map, Teuchos::null, op);
                   made->raised = std::move(raised);
                   return made;
                 }),
          comm, matvec};
}

// Vectors over the elements of an array, or null for None. Called inside of Trilinos; collective.
Teuchos::RCP<const solvers::MultiVector> vectors_of(const Array* array, const char* name, Solvable& rows) {
  if (array == nullptr) return Teuchos::null;
  return import_vectors(solver_array(*array, name, false), rows.array_map, Copy::if_needed, &rows.copies).vectors;
}

// A preconditioner that is made now. `coordinates` and `nullspace` are Arrays or None on all processes alike.
Preconditioner make_helper(const Matrix& a, const py::object& name, const py::object& symmetric,
                           const py::object& options, const py::object& coordinates, const py::object& nullspace) {
  const std::shared_ptr<Solvable> of = a.usable();
  const MPI_Comm comm = of->array_map.comm();
  const Array *points = array_behind(coordinates), *kernel = array_behind(nullspace);
  struct Wanted {
    std::string name;
    Method method;
    Teuchos::ParameterList parameters;
  };
  const Wanted wanted = together(comm, [&] {
    solvers::check_preconditioner(text_of(name));
    for (const auto& [array, key] : {std::pair{points, "coordinates"}, std::pair{kernel, "nullspace"}}) {
      if (array == nullptr) continue;
      need_float64(*array, key);
      vectors_axis(solver_array(*array, key, false), of->array_map);
    }
    return Wanted{text_of(name), flag_of(symmetric, "symmetric") ? Method::cg : Method::gmres,
                  parameters(options, "options")};
  });
  return {inside(comm,
                 [&] {
                   const auto made = solvers::make_preconditioner(
                       wanted.name, wanted.method, of->matrix, wanted.parameters,
                       {vectors_of(points, "coordinates", *of), vectors_of(kernel, "nullspace", *of)});
                   return std::make_shared<Solvable>(of->array_map, Teuchos::null, made);
                 }),
          a.comm()};
}

template <class T>
void bind_rows(py::class_<T>& type) {
  type.def_property_readonly(
          "comm", [](const py::object& a) { return made<T>(a).comm(); }, "The mpi4py communicator of its processes.")
      .def_property_readonly(
          "distribution", [](const py::object& a) { return made<T>(a).solvable()->array_map.distribution(); },
          "The Distribution of its rows.");
}

template <class T>
void bind_handle(py::class_<T>& type) {
  bind_rows(type);
  type.def_property_readonly("_kept_bytes", [](const py::object& a) { return made<T>(a).solvable()->copies.bytes(); });
  type.def("_eigsh", [](const py::object& a, const Array& x, const py::object& start, const py::dict& asked) {
    return eigsh_in_place(made<T>(a), x, array_behind(start), asked);
  });
  type.def("_solve", [](const py::object& a, const py::object& read) { return solve_in_place(made<T>(a), read); });
}

}  // namespace

void bind_solve(py::module_& module) {
  py::class_<Matrix> matrix(module, "_Matrix", py::custom_type_setup(let_collect<Matrix>));
  bind_handle(matrix);
  py::class_<LinearOperator> op(module, "_LinearOperator", py::custom_type_setup(let_collect<LinearOperator>));
  op.def(py::init(&make_operator), "rows"_a, "matvec"_a, "comm"_a);
  bind_handle(op);
  op.def_property_readonly("_count", [](const py::object& a) {
    return made<LinearOperator>(a).solvable()->array_map.flat_numbers().count();
  });
  py::class_<Preconditioner> helper(module, "_Preconditioner", py::custom_type_setup(let_collect<Preconditioner>));
  helper.def(py::init([](const py::object& a, const py::object& name, const py::object& symmetric,
                         const py::object& options, const py::object& coordinates, const py::object& nullspace) {
               return make_helper(made<Matrix>(a), name, symmetric, options, coordinates, nullspace);
             }),
             "A"_a, "name"_a, "symmetric"_a, "options"_a, "coordinates"_a, "nullspace"_a);
  bind_rows(helper);
  bind_matrix(module, matrix);
  bind_multiply(matrix, op);
  module.def("_with_vectors", &with_vectors);
  module.def("_need_solvers", [] {});  // raises where Trilinos is not there
  module.def(
      "_trace", [](bool on) { on ? tpetra::trace() : mpi::trace({}); }, "on"_a);
}

}  // namespace tridap::python
