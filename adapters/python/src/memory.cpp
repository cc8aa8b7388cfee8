#include "memory.hpp"

#include "gil.hpp"
#include "tensor.hpp"
#include "text_argument.hpp"
#include "value.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/report.hpp>

#include <algorithm>
#include <utility>

namespace tridap::python {

namespace {

constexpr const char* owner_capsule = "tridap.owner";

bool has(py::handle object, const char* name) {
  const auto attribute = py::reinterpret_steal<py::object>(PyObject_GetAttrString(object.ptr(), name));
  if (!attribute && PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw py::error_already_set();
  PyErr_Clear();
  return static_cast<bool>(attribute);
}

std::string type_name(py::handle object) { return Py_TYPE(object.ptr())->tp_name; }

bool is_record(const py::dtype& type) { return type.kind() == 'V' && !type.attr("names").is_none(); }

// True if the elements are bytes without a meaning. NumPy reads these from a PEP 3118 buffer as records without a
// field.
bool is_bytes_alone(const py::dtype& type) {
  return type.kind() == 'V' && (!is_record(type) || py::len(type.attr("names")) == 0);
}

py::dtype bytes_alone(py::ssize_t bytes) { return py::dtype("V" + std::to_string(bytes)); }

// Another array over the same memory: it does not change if the user changes the shape of the given array.
py::array view_of(const py::array& array) {
  const auto extents = [&](const py::ssize_t* from) { return std::vector<py::ssize_t>(from, from + array.ndim()); };
  const bool plain = is_bytes_alone(array.dtype()) && !is_bfloat16(array.dtype());
  const py::dtype type = plain ? bytes_alone(array.itemsize()) : array.dtype();
  return py::array(type, extents(array.shape()), extents(array.strides()), array.data(), array);
}

py::array as_array(py::handle object) {
  static py::handle asarray;
  return py::reinterpret_borrow<py::array>(imported(asarray, "numpy", "asarray")(object));
}

py::array over_buffer(py::handle object) {
  const auto view = py::reinterpret_steal<py::object>(PyMemoryView_FromObject(object.ptr()));
  if (!view) throw py::error_already_set();
  const Py_buffer& described = *PyMemoryView_GET_BUFFER(view.ptr());
  if (described.suboffsets != nullptr)
    refuse("the buffer of a " + type_name(object) + " is a table of pointers (suboffsets)", "", "give strided memory",
           {}, Rule::buffer_layout);
  py::array array = as_array(view);
  if (array.size() != 0 && array.data() != described.buf)
    refuse("NumPy would have to copy a buffer of format '" + std::string(described.format) + "'", "",
           "give a buffer of numbers", {}, Rule::buffer_type);
  return is_bytes_alone(array.dtype()) ? view_of(array) : array;
}

// NumPy ignores the mask of an array interface.
void refuse_mask(py::handle object) {
  const py::object interface = py::getattr(object, "__array_interface__", py::none());
  if (!py::isinstance<py::dict>(interface)) return;
  const py::dict said = interface;
  if (said.contains("mask") && !said["mask"].is_none())
    refuse("the __array_interface__ of a " + type_name(object) + " has a 'mask', which no other library would see", "",
           "give it without the mask", {}, Rule::buffer_type);
}

// Returns nullopt if the object offers no memory.
std::optional<py::array> shared(py::handle object) {
  if (py::isinstance<py::array>(object)) {
    static py::handle masked;
    if (py::isinstance(object, imported(masked, "numpy.ma", "MaskedArray")))
      refuse("the buffer is a masked array, whose mask no other library would see", "",
             "pass numpy.ma.filled(local, 0), or local.data, which has no mask", {}, Rule::buffer_type);
    return view_of(py::reinterpret_borrow<py::array>(object));
  }
  if (PyObject_CheckBuffer(object.ptr()) != 0) return over_buffer(object);
  if (has(object, "__dlpack__")) return over_tensor(object, type_name(object));
  if (!has(object, "__array_interface__") && !has(object, "__array_struct__")) return std::nullopt;
  refuse_mask(object);
  return as_array(object);
}

[[noreturn]] void refuse_without_memory(py::handle object, const std::string& remedy) {
  refuse("a " + type_name(object) + " offers no memory: no buffer protocol, no __dlpack__", "", remedy, {},
         Rule::buffer_data);
}

py::array copied(py::handle object, Receipt& receipt) {
  static py::handle array;
  py::array made = imported(array, "numpy", "array")(object);
  receipt.shared = receipt.same_address = false;
  receipt.bytes_copied += made.nbytes();
  return made;
}

ElementType::Kind kind_of(char kind) {
  using Kind = ElementType::Kind;
  switch (kind) {
    case 'b':
      return Kind::boolean;
    case 'i':
      return Kind::signed_integer;
    case 'u':
      return Kind::unsigned_integer;
    case 'f':
      return Kind::floating;
    case 'c':
      return Kind::complex;
    default:
      return Kind::opaque;
  }
}

// A type as a PEP 3118 buffer describes it, without what only NumPy knows: alignment, titles, numpy.record.
py::dtype plain(const py::dtype& type) {
  if (const py::object array = type.attr("subdtype"); !array.is_none())
    return py::dtype::from_args(py::make_tuple(plain(array[py::int_(0)]), array[py::int_(1)]));
  if (is_bytes_alone(type)) return bytes_alone(type.itemsize());
  if (!is_record(type)) return type;
  const py::list names = type.attr("names");
  py::list formats, offsets;
  for (const py::handle name : names) {
    const py::tuple field = type.attr("fields")[name];
    formats.append(plain(field[0]));
    offsets.append(field[1]);
  }
  return py::dtype(names, formats, offsets, type.itemsize());
}

// NumPy's description of dates, texts and records; empty for bytes without a meaning.
std::string description_of(const py::dtype& type) {
  return is_bytes_alone(type) ? "" : py::cast<std::string>(py::str(py::handle(plain(type))));
}

}  // namespace

py::dtype bfloat16_dtype() {
  const py::dict modules = py::module_::import("sys").attr("modules");
  if (modules.contains("ml_dtypes")) return py::dtype::from_args(modules["ml_dtypes"].attr("bfloat16"));
  using namespace py::literals;
  return py::module_::import("numpy").attr("dtype")("V2", "metadata"_a = py::dict("tridap"_a = "bfloat16"));
}

bool is_bfloat16(const py::dtype& type) {
  if (type.kind() != 'V' || type.itemsize() != 2) return false;
  const py::object note = type.attr("metadata");
  return py::str(type.attr("name")).equal(py::str("bfloat16")) ||
         (!note.is_none() && note.contains("tridap") && py::object(note["tridap"]).equal(py::str("bfloat16")));
}

py::dtype numpy_type(const ElementType& type) {
  const bool brain = type.kind == ElementType::Kind::bfloat;
  if (brain && !type.native_order)
    refuse("the elements are " + type.name(), "must be in this machine's byte order, because NumPy has no bfloat16",
           "give them in this byte order", {}, Rule::buffer_type);
  if (brain) return bfloat16_dtype();
  return type.kind == ElementType::Kind::opaque ? bytes_alone(type.bytes) : py::dtype(type.name());
}

py::handle imported(py::handle& cache, const char* module, const char* name) {
  if (!cache) cache = py::object(py::module_::import(module).attr(name)).release();
  return cache;
}

std::shared_ptr<void> keep(py::object object) {
  return {object.release().ptr(), [](void* held) {
            if (Py_IsInitialized() == 0 || (python_ends() && PyGILState_Check() == 0)) return;
            const WithPython gil;
            Py_DECREF(static_cast<PyObject*>(held));
          }};
}

py::object as_base(std::shared_ptr<void> owner) {
  return py::capsule(new std::shared_ptr<void>(std::move(owner)), owner_capsule, [](PyObject* capsule) {
    delete static_cast<std::shared_ptr<void>*>(PyCapsule_GetPointer(capsule, owner_capsule));
  });
}

std::shared_ptr<void> owner_behind(py::handle array) {
  py::object base = py::reinterpret_borrow<py::object>(array);
  while (py::isinstance<py::array>(base)) base = base.attr("base");
  if (PyCapsule_IsValid(base.ptr(), owner_capsule) == 0) return nullptr;
  return *static_cast<std::shared_ptr<void>*>(PyCapsule_GetPointer(base.ptr(), owner_capsule));
}

py::array array_over(py::handle object) {
  std::optional<py::array> array = shared(object);
  if (!array) refuse_without_memory(object, "pass numpy.asarray(local), whose memory the array then uses");
  return std::move(*array);
}

py::array array_over(py::handle object, Copy copy, Receipt& receipt) {
  std::optional<py::array> array = shared(object);
  if (!array && copy == Copy::never) refuse_without_memory(object, "give a NumPy array, or pass copy=\"if_needed\"");
  if (array) refuse_objects(*array);  // before a copy, which would use the addresses
  if (!array || copy == Copy::always) array = copied(array ? *array : object, receipt);
  refuse_objects(*array);
  return std::move(*array);
}

void refuse_objects(const py::array& array) {
  if (py::cast<bool>(array.dtype().attr("hasobject")))
    refuse("the buffer holds Python objects, which are addresses of this process", "", "give a buffer of numbers", {},
           Rule::buffer_type);
}

void refuse_no_buffer(const py::array& array) {
  if (py::reinterpret_steal<py::object>(PyMemoryView_FromObject(array.ptr()))) return refuse_unread_record(array);
  py::error_already_set error;
  rethrow_if_interrupted(error);
  refuse("the elements are " + utf8_text(py::str(array.dtype())) + ", which a PEP 3118 buffer cannot say (" +
             one_line(error) + ")",
         "", "give a view of it as integers, such as values.view(\"i8\"), and say the unit in a key of dim_data", {},
         Rule::buffer_type);
}

void refuse_unread_record(const py::array& array) {
  if (!is_record(array.dtype())) return;
  try {
    const auto view = py::reinterpret_steal<py::object>(PyMemoryView_FromObject(array.ptr()));
    if (!view) throw py::error_already_set();
    as_array(view);
  } catch (py::error_already_set& error) {
    rethrow_if_interrupted(error);
    refuse("the elements are " + utf8_text(py::str(array.dtype())) +
               ", whose PEP 3118 buffer NumPy itself cannot read (" + one_line(error) + ")",
           "", "give a record whose fields reach its end, such as numpy.lib.recfunctions.repack_fields(values)", {},
           Rule::buffer_type);
  }
}

bool offers_memory(py::handle object) { return PyObject_CheckBuffer(object.ptr()) != 0 || has(object, "__dlpack__"); }

Buffer buffer_of(const py::array& array) {
  Buffer buffer;
  const py::dtype type = array.dtype();
  buffer.type.kind = is_bfloat16(type) ? ElementType::Kind::bfloat : kind_of(type.kind());
  buffer.type.bytes = type.itemsize();
  buffer.type.native_order = py::cast<bool>(type.attr("isnative"));  // the character may be '<' or '=' for one order
  if (buffer.type.kind == ElementType::Kind::opaque) buffer.type.description = description_of(type);
  buffer.data = const_cast<void*>(array.data());
  buffer.shape.assign(array.shape(), array.shape() + array.ndim());
  buffer.strides.assign(array.strides(), array.strides() + array.ndim());
  buffer.read_only = !array.writeable();
  buffer.owner = keep(array);
  return buffer;
}

py::array array_of(const Buffer& buffer) {
  // The address if there are no elements: without an address NumPy would not keep the owner.
  alignas(64) static std::byte nowhere{};
  py::array array(numpy_type(buffer.type), std::vector<py::ssize_t>(buffer.shape.begin(), buffer.shape.end()),
                  std::vector<py::ssize_t>(buffer.strides.begin(), buffer.strides.end()),
                  buffer.data != nullptr ? buffer.data : &nowhere, as_base(buffer.owner));
  if (buffer.read_only) array.attr("flags").attr("writeable") = false;
  return array;
}

std::optional<Copy> copy_named(py::handle copy) {
  if (copy.is_none() || copy.ptr() == Py_False) return Copy::never;
  if (copy.ptr() == Py_True) return Copy::always;
  if (PyUnicode_Check(copy.ptr()) && PyUnicode_CompareWithASCIIString(copy.ptr(), "if_needed") == 0)
    return Copy::if_needed;
  return std::nullopt;
}

Copy copy_policy(py::handle copy) {
  if (const std::optional<Copy> policy = copy_named(copy)) return *policy;
  refuse_key("copy", to_value(copy).text(), "must be None or False (never), \"if_needed\" or True",
             "pass one of these");
}

std::optional<bool> copy_flag(py::handle copy) {
  static py::handle type;
  if (copy.is_none()) return std::nullopt;
  if (PyBool_Check(copy.ptr()) == 0 && !py::isinstance(copy, imported(type, "numpy", "bool_")))
    throw py::type_error("copy is " + to_value(copy).text() + ", must be None, True or False");
  return PyObject_IsTrue(copy.ptr()) == 1;
}

std::string one_line(const py::error_already_set& error) {
  // For types that are defined in C, tp_name includes the module.
  const std::string name = reinterpret_cast<PyTypeObject*>(error.type().ptr())->tp_name;
  std::string text = name.substr(name.rfind('.') + 1);
  const auto said = py::reinterpret_steal<py::object>(PyObject_Str(error.value().ptr()));
  if (!said) {
    PyErr_Clear();
    return text;
  }
  const auto bytes =
      py::reinterpret_steal<py::object>(PyUnicode_AsEncodedString(said.ptr(), "utf-8", "backslashreplace"));
  if (!bytes) {
    PyErr_Clear();
    return text;
  }
  std::string words = py::cast<std::string>(bytes);
  std::replace_if(
      words.begin(), words.end(), [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
  return words.empty() ? text : text + ": " + words;
}

void rethrow_if_interrupted(py::error_already_set& error) {
  if (!error.matches(PyExc_Exception)) throw;
}

void throw_if_interrupted() {
  if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_Exception) == 0) throw py::error_already_set();
}

}  // namespace tridap::python
