#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <utility>

namespace tridap::python {

/// A Python str in UTF-8. What UTF-8 has no bytes for, such as os.fsdecode's "\udcff", becomes "\\udcff", so that a
/// text that nothing has as its name is refused by an error that shows it. Throws what Python raises.
inline std::string utf8_text(pybind11::handle text) {
  const auto bytes =
      pybind11::reinterpret_steal<pybind11::object>(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
  if (!bytes) throw pybind11::error_already_set();
  return pybind11::cast<std::string>(bytes);
}

/// An argument that is any str, in UTF-8 as utf8_text() writes it.
struct Text {
  std::string value;
  operator const std::string&() const { return value; }
};

/// Throws ValueError if an argument is a str that UTF-8 cannot encode, which NumPy would refuse without its name.
inline void need_utf8(const char* name, pybind11::handle given) {
  if (!PyUnicode_Check(given.ptr()) || PyUnicode_AsUTF8(given.ptr()) != nullptr) return;
  PyErr_Clear();
  throw pybind11::value_error(std::string(name) + " is " + utf8_text(pybind11::repr(given)) +
                              ", must be text that UTF-8 can encode");
}

}  // namespace tridap::python

namespace pybind11::detail {

template <>
struct type_caster<tridap::python::Text> {
  PYBIND11_TYPE_CASTER(tridap::python::Text, const_name("str"));

  bool load(handle source, bool) {
    if (!PyUnicode_Check(source.ptr())) return false;
    value.value = tridap::python::utf8_text(source);
    return true;
  }
  static handle cast(const tridap::python::Text& text, return_value_policy, handle) {
    return pybind11::str(text.value).release();
  }
};

}  // namespace pybind11::detail
