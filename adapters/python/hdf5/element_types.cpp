#include "element_types.hpp"

#include "../src/memory.hpp"
#include "../src/text_argument.hpp"
#include <tridap/detail/refuse.hpp>

#include <pybind11/stl.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace tridap::python {

namespace {

using hdf5::Datatype;

const std::string tag_begin = "NUMPY:";

Datatype need(hid_t made, const char* what) {
  if (made < 0) refuse(std::string("HDF5 cannot make ") + what, "", "convert the array first");
  return Datatype(made);
}

Datatype datatype_of(const py::dtype& type);

Datatype compound(const py::dtype& type) {
  const Datatype made = need(H5Tcreate(H5T_COMPOUND, static_cast<std::size_t>(type.itemsize())), "a compound");
  for (const py::handle name : type.attr("names")) {
    const py::tuple field = type.attr("fields")[name];
    const Datatype member = datatype_of(py::cast<py::dtype>(field[0]));
    const char* const text = PyUnicode_AsUTF8(name.ptr());
    if (text == nullptr) {
      PyErr_Clear();  // the name has surrogates
      refuse("the name of the field is '" + utf8_text(name) + "'", "must be text that UTF-8 can encode",
             "rename the field");
    }
    if (H5Tinsert(made.id(), text, py::cast<std::size_t>(field[1]), member.id()) < 0)
      refuse(std::string("HDF5 cannot have the field '") + text + "'", "fields must not overlap",
             "convert the array first");
  }
  return made;
}

Datatype list(const py::dtype& type) {
  const py::tuple parts = type.attr("subdtype");
  const Datatype element = datatype_of(py::cast<py::dtype>(parts[0]));
  const auto shape = py::cast<std::vector<hsize_t>>(parts[1]);
  return need(H5Tarray_create2(element.id(), static_cast<unsigned>(shape.size()), shape.data()), "an array of a field");
}

Datatype text(const py::dtype& type) {
  const Datatype made = need(H5Tcopy(H5T_C_S1), "a text");
  H5Tset_size(made.id(), static_cast<std::size_t>(type.itemsize()));
  H5Tset_strpad(made.id(), H5T_STR_NULLPAD);
  return made;
}

Datatype opaque(const py::dtype& type) {
  const Datatype made = need(H5Tcreate(H5T_OPAQUE, static_cast<std::size_t>(type.itemsize())), "an opaque type");
  const std::string tag = type.kind() == 'V' ? "" : tag_begin + py::cast<std::string>(type.attr("str"));
  H5Tset_tag(made.id(), tag.c_str());
  return made;
}

Datatype datatype_of(const py::dtype& type) {
  if (type.itemsize() == 0) refuse("the elements have no bytes", "", "convert the array first");
  if (!type.attr("names").is_none()) return compound(type);
  if (!type.attr("subdtype").is_none()) return list(type);
  if (type.kind() == 'S') return text(type);
  if (is_bfloat16(type)) return hdf5::datatype({ElementType::Kind::bfloat, 2});
  if (std::string("biufc").find(type.kind()) == std::string::npos) return opaque(type);
  const py::array one(type, std::vector<py::ssize_t>{1});
  return hdf5::datatype(buffer_of(one).type);
}

py::dtype dtype_in_memory(const Datatype& type);

// Objects of a file would be addresses that the file chooses.
void refuse_objects_in_file(const py::dtype& type) {
  if (py::cast<bool>(type.attr("hasobject")))
    refuse("the elements in the file are, or hold, Python objects: " + py::cast<std::string>(py::str(py::handle(type))),
           "must be numbers, texts or dates, since an object is an address of one process",
           "save what the objects hold as numbers or texts");
}

std::string text_and_free(char* given) {
  const std::string text(given == nullptr ? "" : given);
  H5free_memory(given);
  return text;
}

py::dtype compound_dtype(hid_t type) {
  py::list names, formats, offsets;
  const int members = H5Tget_nmembers(type);
  for (int i = 0; i < members; ++i) {
    const auto k = static_cast<unsigned>(i);
    names.append(text_and_free(H5Tget_member_name(type, k)));
    formats.append(dtype_in_memory(Datatype(H5Tget_member_type(type, k))));
    offsets.append(H5Tget_member_offset(type, k));
  }
  return {names, formats, offsets, static_cast<py::ssize_t>(H5Tget_size(type))};
}

py::dtype list_dtype(hid_t type) {
  std::vector<hsize_t> shape(static_cast<std::size_t>(H5Tget_array_ndims(type)));
  H5Tget_array_dims2(type, shape.data());
  const py::tuple said = py::make_tuple(dtype_in_memory(Datatype(H5Tget_super(type))), py::tuple(py::cast(shape)));
  return py::dtype::from_args(said);
}

// The type that a tag such as "NUMPY:<M8[ns]" names, in the file's own text. Bytes, if NumPy has no such type of this
// length.
py::dtype tagged_dtype(const std::string& tag, Index bytes) {
  const bool is_ascii = std::all_of(tag.begin(), tag.end(), [](char c) { return ' ' <= c && c <= '~'; });
  if (is_ascii && !tag.empty()) try {
      py::dtype type(tag);
      refuse_objects_in_file(type);
      if (type.itemsize() == bytes && type.attr("subdtype").is_none()) return type;
    } catch (py::error_already_set& error) {  // NumPy does not know it
      rethrow_if_interrupted(error);
    }
  return py::dtype("V" + std::to_string(bytes));
}

py::dtype dtype_in_memory(const Datatype& type) {
  const ElementType element = hdf5::element_type(type);
  if (element.kind != ElementType::Kind::opaque) return py::dtype(element.name());
  switch (H5Tget_class(type.id())) {
    case H5T_COMPOUND:
      return compound_dtype(type.id());
    case H5T_ARRAY:
      return list_dtype(type.id());
    case H5T_STRING:
      return py::dtype("S" + std::to_string(element.bytes));
    default:
      break;
  }
  return tagged_dtype(element.description, element.bytes);
}

}  // namespace

Datatype datatype_of(const py::array& array) { return datatype_of(array.dtype()); }

py::dtype dtype_of(const Datatype& type) {
  py::dtype found = dtype_in_memory(hdf5::memory_type(type));
  refuse_objects_in_file(found);
  if (found.attr("subdtype").is_none()) return found;
  py::list names, formats, offsets;  // NumPy would make further axes of the lists
  names.append("values");
  formats.append(found);
  offsets.append(0);
  return {names, formats, offsets, found.itemsize()};
}

}  // namespace tridap::python
