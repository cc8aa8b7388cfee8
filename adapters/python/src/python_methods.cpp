#include "python_methods.hpp"

#include "array.hpp"

#include <string>

namespace tridap::python {

void need_array(py::handle self) {
  if (array_behind(self) == nullptr)
    throw py::type_error(std::string("this must be a DistArray, not a ") + Py_TYPE(self.ptr())->tp_name);
}

void define(py::class_<Array>& type, const PythonMethod& method) {
  type.def(
      method.name,
      [method](const py::object& self, const py::args& others, const py::kwargs& options) {
        need_array(self);
        const char* const function = method.function != nullptr ? method.function : method.name;
        return function_of(method.module, function)(self, *others, **options);
      },
      method.text);
}

}  // namespace tridap::python
