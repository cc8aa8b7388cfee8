#pragma once

#include <tridap/index.hpp>

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <typeinfo>
#include <vector>

namespace tridap::python {

namespace py = pybind11;

class Array;

// Bind members by functions that take a reference. A pointer to a member takes a pointer to the object, and pybind11
// accepts None for a pointer.
void bind_arguments(py::module_& module);
void bind_array(py::module_& module);
void bind_array_calls(py::class_<Array>& type);                        ///< what all processes call together
void bind_array_memory(py::module_& module, py::class_<Array>& type);  ///< what other libraries get of its memory
void bind_device(py::module_& module);
void bind_capture(py::module_& module);
void bind_compute(py::module_& module, py::class_<Array>& type);  ///< what DistArray has of NumPy's arrays
void bind_distribution(py::module_& module);
void bind_gather(py::module_& module);
void bind_ghosts(py::module_& module);
void bind_redistribution(py::module_& module);
void bind_report(py::module_& module);
void bind_specs(py::module_& module);          ///< what describes an axis
void bind_solve(py::module_& module);          ///< without Trilinos, types that say so
void bind_stored_layout(py::module_& module);  ///< how an array on disk states its distribution
void bind_vocabularies(py::module_& module);

/// Sets the slots of DistArray: NumPy's buffer protocol on the local part, and those of the garbage collector.
void set_array_slots(PyHeapTypeObject* heap);

/// A function that defines a read-only attribute: its name, its docstring, and what returns it.
template <class Type>
auto property_of(py::class_<Type>& type) {
  return [&type](const char* name, const char* text, auto get) { type.def_property_readonly(name, get, text); };
}

inline py::tuple tuple_of(const std::vector<Index>& numbers) { return py::tuple(py::cast(numbers)); }

/// Makes this module use the state of packages/mpi that tridap's core has. It must be the first call of a module.
void share_state_of_core();

/// False if the C++ value of an object is not made yet, or no longer exists. The garbage collector may see an object in
/// these states, and `__new__` alone makes no value.
bool holds_value(PyObject* self, const std::type_info& type);

/// Throws TypeError if there is no such value: pybind11 would read memory that was never written.
void need_value(PyObject* self, const std::type_info& type);

/// The C++ value of an object that is a `T`. Throws TypeError if it was never initialised.
template <class T>
const T& value_in(py::handle self) {
  need_value(self.ptr(), typeid(T));
  return py::cast<const T&>(self);
}

/// Shows the garbage collector which Python objects a bound type holds. `T` has traverse() and clear().
template <class T>
void let_collect(PyHeapTypeObject* heap) {
  PyTypeObject& type = heap->ht_type;
  type.tp_flags |= Py_TPFLAGS_HAVE_GC;
  type.tp_traverse = [](PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    return holds_value(self, typeid(T)) ? py::cast<const T&>(py::handle(self)).traverse(visit, arg) : 0;
  };
  type.tp_clear = [](PyObject* self) {
    if (holds_value(self, typeid(T))) py::cast<T&>(py::handle(self)).clear();
    return 0;
  };
}

/// For types whose objects Python code must not make. `__new__` alone, or that of a derived class, would return an
/// object without its C++ value.
void forbid_new(PyHeapTypeObject* heap);

}  // namespace tridap::python
