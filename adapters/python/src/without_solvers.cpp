#include "bindings.hpp"
#include "component_table.hpp"

#include <string>

namespace tridap::python {

namespace {

// They have the names of the types in bind_solve.cpp, so that the Python files are the same. None of them can be made.
struct NoMatrix {};
struct NoLinearOperator {};
struct NoPreconditioner {};
struct NoRows {};

void raise_why() {
  const std::string text = std::string("this tridap was built without Trilinos' solvers (") + why_no_solvers +
                           "): install Trilinos with Tpetra, Belos, Anasazi, Ifpack2 and Amesos2, and build it again; "
                           "docs/install.md has the names of the packages";
  PyErr_SetString(PyExc_ImportError, text.c_str());
}

void forbid(PyHeapTypeObject* heap) {
  heap->ht_type.tp_new = [](PyTypeObject*, PyObject*, PyObject*) -> PyObject* {
    raise_why();
    return nullptr;
  };
}

}  // namespace

void bind_solve(py::module_& module) {
  py::class_<NoMatrix>(module, "_Matrix", py::custom_type_setup(forbid));
  py::class_<NoLinearOperator>(module, "_LinearOperator", py::custom_type_setup(forbid));
  py::class_<NoPreconditioner>(module, "_Preconditioner", py::custom_type_setup(forbid));
  py::class_<NoRows>(module, "_SparseRows", py::custom_type_setup(forbid));
  module.def("_need_solvers", [] {
    raise_why();
    throw py::error_already_set();
  });
}

}  // namespace tridap::python
