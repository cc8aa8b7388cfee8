#pragma once

#include <tridap/index.hpp>

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <vector>

namespace tridap::python {

namespace py = pybind11;

void bind_array(py::module_& module);
void bind_distribution(py::module_& module);
void bind_report(py::module_& module);
void bind_solve(py::module_& module);

inline py::tuple tuple_of(const std::vector<Index>& numbers) { return py::tuple(py::cast(numbers)); }

/// False for an object whose C++ value is not made yet, or gone: the garbage collector may come between.
bool holds_value(PyObject* self);

/// Shows the garbage collector what objects of a bound type hold: `T` has traverse() and clear().
template <class T>
void let_collect(PyHeapTypeObject* heap) {
  PyTypeObject& type = heap->ht_type;
  type.tp_flags |= Py_TPFLAGS_HAVE_GC;
  type.tp_traverse = [](PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    return holds_value(self) ? py::cast<const T&>(py::handle(self)).traverse(visit, arg) : 0;
  };
  type.tp_clear = [](PyObject* self) {
    if (holds_value(self)) py::cast<T&>(py::handle(self)).clear();
    return 0;
  };
}

/// For types that no Python code makes: `__new__` alone would give an object without its C++ value.
void forbid_new(PyHeapTypeObject* heap);

}  // namespace tridap::python
