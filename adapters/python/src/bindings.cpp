#include "bindings.hpp"

#include <tridap/internal/state.hpp>

#include <string>

namespace tridap::python {

void share_state_of_core() {
  const auto core = py::cast<py::capsule>(py::module_::import("tridap._core").attr("__state__"));
  mpi::share_state(core.get_pointer<mpi::State>());
}

bool holds_value(PyObject* self, const std::type_info& type) {
  auto& instance = *reinterpret_cast<py::detail::instance*>(self);
  if (!instance.simple_layout && instance.nonsimple.values_and_holders == nullptr) return false;  // only allocated
  const auto held = instance.get_value_and_holder(py::detail::get_type_info(type), false);
  return held.vh != nullptr && held.value_ptr() != nullptr;
}

void need_value(PyObject* self, const std::type_info& type) {
  if (holds_value(self, type)) return;
  const std::string name = Py_TYPE(self)->tp_name;
  throw py::type_error("this " + name + " was never initialised: call " + name + "(...)");
}

void forbid_new(PyHeapTypeObject* heap) {
  PyTypeObject& type = heap->ht_type;
  type.tp_new = [](PyTypeObject* made, PyObject*, PyObject*) -> PyObject* {
    PyErr_Format(PyExc_TypeError, "%s: no constructor defined, functions of tridap make it", made->tp_name);
    return nullptr;
  };
  type.tp_flags &= ~Py_TPFLAGS_BASETYPE;  // a class with two bases takes __new__ of the other
}

}  // namespace tridap::python
