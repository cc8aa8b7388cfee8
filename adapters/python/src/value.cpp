#include "value.hpp"

#include "memory.hpp"
#include <tridap/dimension.hpp>
#include <tridap/report.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tridap::python {

namespace {

constexpr int deepest = 64;           // levels of lists in lists
constexpr std::size_t longest = 200;  // characters of an object that a message shows
// The most lists and dictionaries in one value, since a list that holds itself twice has 2^64 of them. Also the most
// keys of a mapping.
constexpr int most = 10000;

// The place in a value that is being read.
struct Depth {
  int depth = 0;
  int* containers = nullptr;  // lists and dictionaries read so far, of the whole value
  Depth below() const { return {depth + 1, containers}; }
};

Value read(py::handle object, Depth place);

bool is_integer(py::handle object) {
  static py::handle type;
  return py::isinstance(object, imported(type, "numpy", "integer"));
}
bool is_boolean(py::handle object) {
  static py::handle type;
  return py::isinstance(object, imported(type, "numpy", "bool_"));
}
bool is_floating(py::handle object) {
  static py::handle type;
  return PyFloat_Check(object.ptr()) || py::isinstance(object, imported(type, "numpy", "floating"));
}
bool is_mapping(py::handle object) {
  static py::handle type;
  return PyDict_Check(object.ptr()) || py::isinstance(object, imported(type, "collections.abc", "Mapping"));
}

std::optional<std::string> utf8_of(py::handle object) {
  Py_ssize_t length = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(object.ptr(), &length);
  if (text == nullptr) {
    PyErr_Clear();  // the text has surrogates
    return std::nullopt;
  }
  return std::string(text, static_cast<std::size_t>(length));
}

// An object as a message shows it: its shortened repr(), and its type if the repr() does not show it.
OtherValue shown(py::handle object) {
  const std::string type = Py_TYPE(object.ptr())->tp_name;
  if (object.is_none()) return {"null"};
  const auto repr = py::reinterpret_steal<py::object>(PyObject_Repr(object.ptr()));
  if (!repr) {
    throw_if_interrupted();
    PyErr_Clear();
    return {"a " + type + " that cannot be shown"};
  }
  const auto bytes =
      py::reinterpret_steal<py::bytes>(PyUnicode_AsEncodedString(repr.ptr(), "utf-8", "backslashreplace"));
  if (!bytes) throw py::error_already_set();
  std::string value = bytes;
  if (value.size() > longest) {
    value.resize(longest);
    while (!value.empty() && (static_cast<unsigned char>(value.back()) & 0xC0) == 0x80) value.pop_back();
    if (!value.empty() && (static_cast<unsigned char>(value.back()) & 0x80) != 0) value.pop_back();
    value += "...";
  }
  if (PyLong_Check(object.ptr()) || PyBytes_Check(object.ptr()) || PyUnicode_Check(object.ptr())) return {value};
  return {value + " (a " + type + ")"};
}

Value read_integer(py::handle object) {
  const auto exact = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
  if (!exact) throw py::error_already_set();
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(exact.ptr(), &overflow);
  if (overflow != 0) return {shown(exact)};
  if (value == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return {static_cast<Index>(value)};
}

Value read_sequence(py::handle object, Depth place) {
  PyObject* const o = object.ptr();  // reading may change a list; the methods of a subclass are not called
  const auto all = py::reinterpret_steal<py::object>(PyList_Check(o) ? PyList_AsTuple(o)
                                                                     : PyTuple_GetSlice(o, 0, PyTuple_GET_SIZE(o)));
  if (!all) throw py::error_already_set();
  Value::Integers integers;
  Value::List list;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(all.ptr()); ++i) {
    const py::handle element = PyTuple_GET_ITEM(all.ptr(), i);
    Value value = read(element, place.below());
    const auto* integer = value.as<Index>();
    if (integer != nullptr && list.empty()) {
      integers.push_back(*integer);
      continue;
    }
    if (!integers.empty()) {  // the list does not hold only integers
      for (const Index earlier : integers) list.push_back({earlier});
      integers.clear();
    }
    list.push_back(std::move(value));
  }
  if (list.empty()) return {std::move(integers)};
  return {std::move(list)};
}

Value memory_of(py::handle object) { return {std::make_shared<const Buffer>(buffer_of(array_over(object)))}; }

Value read_mapping(py::handle object, Depth place) {
  const py::object given = PyDict_CheckExact(object.ptr())
                               ? py::reinterpret_steal<py::object>(PyDict_Items(object.ptr()))
                               : object.attr("items")();
  std::vector<py::object> items;  // a copy, since reading a value may change the mapping
  for (const py::handle item : given) {
    if (items.size() == most) return {OtherValue{"a mapping of more than 10000 keys"}};
    items.push_back(py::reinterpret_borrow<py::object>(item));
  }
  Value::Dict dict;
  for (const py::object& item : items) {
    if (!PyTuple_Check(item.ptr()) || PyTuple_GET_SIZE(item.ptr()) != 2) {
      PyErr_SetString(PyExc_ValueError, "items() gave no pairs");
      throw py::error_already_set();
    }
    const auto pair = py::reinterpret_borrow<py::tuple>(item);
    const py::object key = pair[0];
    const std::optional<std::string> text = PyUnicode_Check(key.ptr()) ? utf8_of(key) : std::nullopt;
    // Bytes are read as memory under the key "indices", and as text under any other.
    const bool listed = PyBytes_Check(py::object(pair[1]).ptr()) && text == "indices";
    dict.push_back(
        {text ? *text : shown(key).text, listed ? memory_of(pair[1]) : read(pair[1], place.below()), text.has_value()});
  }
  return {std::move(dict)};
}

// Reads a list or a dictionary, if there are not too many of them.
template <class Read>
Value contained(py::handle object, Depth place, Read read_it) {
  if (++*place.containers > most) return {OtherValue{"more than 10000 lists in lists"}};
  return read_it(object, place);
}

Value read_any(py::handle object, Depth place) {
  PyObject* const o = object.ptr();
  if (place.depth > deepest) return {OtherValue{"lists more than 64 levels deep"}};
  if (PyBool_Check(o)) return {o == Py_True};
  if (PyLong_Check(o)) return read_integer(object);
  if (PyUnicode_Check(o)) {
    std::optional<std::string> text = utf8_of(object);
    if (text) return {std::move(*text)};
    return {shown(object)};
  }
  if (PyFloat_CheckExact(o)) return {PyFloat_AS_DOUBLE(o)};
  if (PyList_Check(o) || PyTuple_Check(o)) return contained(object, place, read_sequence);
  if (PyDict_Check(o)) return contained(object, place, read_mapping);
  if (o == Py_None || PyBytes_Check(o)) return {shown(object)};
  if (is_boolean(object)) return {PyObject_IsTrue(o) == 1};
  if (is_integer(object)) return read_integer(object);
  if (is_floating(object)) {
    const double value = PyFloat_AsDouble(o);
    if (value == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    return {value};
  }
  if (is_mapping(object)) return contained(object, place, read_mapping);
  if (offers_memory(object)) return memory_of(object);
  return {shown(object)};
}

Value read(py::handle object, Depth place) {
  try {
    return read_any(object, place);
  } catch (const Error& error) {
    return {OtherValue{"a " + std::string(Py_TYPE(object.ptr())->tp_name) + ": " + error.what()}};
  } catch (py::error_already_set& error) {
    rethrow_if_interrupted(error);
    return {OtherValue{"a " + std::string(Py_TYPE(object.ptr())->tp_name) + " that raised " + one_line(error)}};
  }
}

}  // namespace

Value to_value(py::handle object) {
  int containers = 0;
  return read(object, {0, &containers});
}

py::object to_object(const Value& value) {
  if (const auto* flag = value.as<bool>()) return py::bool_(*flag);
  if (const auto* integer = value.as<Index>()) return py::int_(*integer);
  if (const auto* number = value.as<double>()) return py::float_(*number);
  if (const auto* text = value.as<std::string>()) return py::str(*text);
  if (const auto* list = value.as<Value::List>()) {
    py::list result;
    for (const Value& element : *list) result.append(to_object(element));
    return py::object(std::move(result));
  }
  if (const auto* integers = value.as<Value::Integers>()) {
    py::list result;
    for (const Index element : *integers) result.append(element);
    return py::object(std::move(result));
  }
  if (const auto* dict = value.as<Value::Dict>()) {
    py::dict result;
    for (const Entry& entry : *dict) result[py::str(entry.key)] = to_object(entry.value);
    return py::object(std::move(result));
  }
  return py::none();
}

}  // namespace tridap::python
