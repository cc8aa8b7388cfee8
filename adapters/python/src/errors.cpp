#include "errors.hpp"

#include "array.hpp"

namespace tridap::python {

namespace {

// Sets an exception of the Python class that tridap/_errors.py defines.
void set_protocol_error(const Error& error, const py::object& cause) {
  const py::object type = py::module_::import("tridap._errors").attr("ProtocolError");
  const py::object made = type(py::str(error.what()), py::cast(Checked{error.report(), nullptr}));
  if (cause) PyException_SetCause(made.ptr(), py::object(cause).release().ptr());
  PyErr_SetObject(type.ptr(), made.ptr());
}

}  // namespace

void throw_protocol_error(const Error& error, const py::object& cause) {
  set_protocol_error(error, cause);
  throw py::error_already_set();
}

void bind_errors(py::module_&) {
  py::register_exception_translator([](std::exception_ptr raised) {
    try {
      if (raised) std::rethrow_exception(raised);
    } catch (const Error& error) {
      try {
        set_protocol_error(error, {});
      } catch (py::error_already_set& failed) {
        failed.restore();
      }
    }
  });
}

}  // namespace tridap::python
