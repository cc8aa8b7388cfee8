#include "dictionaries.hpp"

#include "array.hpp"
#include "device.hpp"
#include "value.hpp"
#include <tridap/internal/collectives.hpp>
#include <tridap/internal/misspelt.hpp>
#include <tridap/value.hpp>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace tridap::python {

namespace {

constexpr const char* keys[] = {"__version__", "buffer", "dim_data"};

// The value of a key; null with a finding if the key is missing.
py::object value_of(const py::dict& dict, const char* key, Report& report) {
  const auto found = py::reinterpret_borrow<py::object>(PyDict_GetItemString(dict.ptr(), key));
  if (found) return found;
  std::vector<py::object> names;  // a copy, since showing a key may change the dictionary
  for (const auto& item : dict) names.push_back(py::reinterpret_borrow<py::object>(item.first));
  std::vector<std::string> unknown;
  for (const py::object& name : names) {
    const Value shown = to_value(name);
    const auto* text = shown.as<std::string>();
    if (text != nullptr && std::find(std::begin(keys), std::end(keys), *text) == std::end(keys))
      unknown.push_back(*text);
  }
  report.add({Rule::key_missing, {}, {}, key, "missing", "but must be there", rename_remedy(key, unknown)});
  return found;
}

void read_extras(const py::dict& dict, Given& given) {
  std::vector<std::pair<py::object, py::object>> items;  // a copy, since showing a value may change the dictionary
  for (const auto& [key, value] : dict)
    items.emplace_back(py::reinterpret_borrow<py::object>(key), py::reinterpret_borrow<py::object>(value));
  for (const auto& [key, value] : items) {
    const Value name = to_value(key);
    const auto* text = name.as<std::string>();
    if (text == nullptr) {
      given.read.report.add({Rule::type_text, {}, {}, "", "the key " + name.text(), "must be a str", ""});
    } else if (std::find(std::begin(keys), std::end(keys), *text) == std::end(keys)) {
      given.extras[key] = value;
      given.read.report.add({Rule::extra_key, {}, {}, *text, to_value(value).text(), "", ""});
    }
  }
}

// Whether an unknown key may be passed on. 'start' and 'stop' are unknown keys of the 'n' of 0.9, but not of the block
// that it becomes.
bool stays_unknown(const Extra& extra, const Dimension& dimension) {
  return dimension.dist_type() != 'b' || (extra.key != "start" && extra.key != "stop");
}

// The values of the keys that the protocol does not know. They are passed on unchanged.
py::list axis_extras_of(py::handle dim_data, const DimData& dims) {
  py::list all;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    py::dict extras;
    for (const Extra& extra : dims[axis].extras) {
      if (!stays_unknown(extra, dims[axis])) continue;
      const auto dict =
          py::reinterpret_steal<py::object>(PySequence_GetItem(dim_data.ptr(), static_cast<Py_ssize_t>(axis)));
      if (!dict) throw py::error_already_set();
      extras[py::str(extra.key)] = dict[py::str(extra.key)];
    }
    all.append(std::move(extras));
  }
  return all;
}

// The dictionary of an object that has no __distarray__, but describes its part in another way that TriDAP reads. None
// if it does not. Throws Error if it does so wrongly.
py::object foreign_dictionary(py::handle object) {
  try {
    return py::module_::import("tridap._readers").attr("dictionary")(object);
  } catch (py::error_already_set& error) {
    const py::object report = py::getattr(error.value(), "report", py::none());
    if (py::isinstance<Checked>(report)) throw Error(py::cast<const Checked&>(report).report);
    throw;
  }
}

bool names_an_axis(const Finding& finding) { return finding.severity() == Severity::warning || finding.axis; }

void read_dictionary(const py::dict& dict, Copy copy, Given& given) {
  Report& report = given.read.report;
  const py::object version = value_of(dict, keys[0], report), buffer = value_of(dict, keys[1], report),
                   dim_data = value_of(dict, keys[2], report);
  Buffer memory;
  bool known = false;
  if (buffer) {
    try {
      given.local = part_over(buffer, copy, given.receipt);
      memory = buffer_of_part(given.local);
      known = true;
    } catch (const Error& error) {
      report.merge(error.report());
    } catch (py::error_already_set& error) {
      report.add({Rule::buffer_data,
                  {},
                  {},
                  "buffer",
                  "a " + std::string(Py_TYPE(buffer.ptr())->tp_name),
                  "cannot be read: it raised " + one_line(error),
                  ""});
      given.raised.emplace(error);
    }
  }
  if (version && dim_data) {
    const Value said = to_value(version), dims = to_value(dim_data);
    ReadArray read = read_array(said, dims, std::move(memory), Source::object);
    given.read.array = std::move(read.array);
    report.merge(read.report);
    given.axis_extras = axis_extras_of(dim_data, given.read.array.dim_data);
  }
  read_extras(dict, given);
  given.comparable =
      known && version && dim_data && std::all_of(report.findings().begin(), report.findings().end(), names_an_axis);
}

void add_list(py::dict& dict, const IndexBuffer& indices) {
  const Buffer& buffer = indices.buffer;
  if (buffer.type == element_type<Index>() && buffer.owner) {
    py::array list = array_of(buffer);
    list.attr("flags").attr("writeable") = false;  // checked indices must not change
    dict["indices"] = list;
    return;
  }
  const std::vector<Index> list = read_indices(indices).value();
  dict["indices"] = py::array_t<Index>(static_cast<py::ssize_t>(list.size()), list.data());
}

}  // namespace

py::object dictionary_of(py::handle object, Report& report) {
  const auto wrong = [&](const std::string& fault, const std::string& must) {
    const char* const remedy =
        py::isinstance<py::array>(object)
            ? "pass tridap.array(array, tridap.distribution(shape)), an array over the memory of this process's part, "
              "with the "
              "shape of the whole array"
            : "pass an array of TriDAP, or an object whose __distarray__() returns the dictionary";
    report.add({Rule::type_structure, {}, {}, "", fault, must, remedy});
    return py::object();
  };
  if (PyDict_Check(object.ptr())) return py::reinterpret_borrow<py::object>(object);
  if (py::type::handle_of(object).is(py::type::handle_of<Array>()))  // and not an object that only reports this class
    return py::cast<const Array&>(object).own_dictionary(Version::v0_10);
  static const py::handle name = py::str("__distarray__").release();
  const auto method = py::reinterpret_steal<py::object>(PyObject_GetAttr(object.ptr(), name.ptr()));
  if (!method) {
    if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw py::error_already_set();
    PyErr_Clear();
    if (py::object dict = foreign_dictionary(object); !dict.is_none()) return dict;
    return wrong("an object of type " + std::string(Py_TYPE(object.ptr())->tp_name) + " has no __distarray__",
                 "must be an object with __distarray__, or the dictionary that it returns");
  }
  if (PyType_Check(object.ptr()))
    return wrong("the object is a class", "must be an instance, to call its __distarray__");
  py::object dict = method();
  if (PyDict_Check(dict.ptr())) return dict;
  return wrong("__distarray__() returned an object of type " + std::string(Py_TYPE(dict.ptr())->tp_name),
               "must return a dictionary");
}

py::dict plain_dictionary(const Dimension& d) {
  py::dict dict;
  dict["dist_type"] = py::str(std::string(1, d.dist_type()));
  dict["size"] = d.size;
  dict["proc_grid_size"] = d.proc_grid_size;
  dict["proc_grid_rank"] = d.proc_grid_rank;
  if (const auto* block = std::get_if<Block>(&d.dist)) {
    dict["start"] = block->start;
    dict["stop"] = block->stop;
    if (block->padding) dict["padding"] = py::make_tuple((*block->padding)[0], (*block->padding)[1]);
  } else if (const auto* cyclic = std::get_if<Cyclic>(&d.dist)) {
    dict["start"] = cyclic->start;
    if (cyclic->block_size != 1) dict["block_size"] = cyclic->block_size;
  } else {
    const auto& unstructured = std::get<Unstructured>(d.dist);
    add_list(dict, unstructured.indices);
    if (unstructured.one_to_one) dict["one_to_one"] = true;
  }
  if (d.periodic) dict["periodic"] = true;
  return dict;
}

py::dict dictionary(const Dimension& d) {
  py::dict dict = plain_dictionary(d);
  for (const Extra& extra : d.extras)
    if (stays_unknown(extra, d)) dict[py::str(extra.key)] = to_object(read_json(extra.value));
  return dict;
}

Given ask(py::handle object, py::handle copy) {
  Given given;
  Report& report = given.read.report;
  const auto failed = [&](const std::string& why) { report.add({Rule::process_failure, {}, {}, "", why, "", ""}); };
  try {
    const Copy policy = copy_policy(copy);
    if (const py::object dict = dictionary_of(object, report)) {
      given.array = array_behind(object) != nullptr ? py::reinterpret_borrow<py::object>(object)
                    : PyDict_CheckExact(dict.ptr()) ? py::none()
                                                    : py::getattr(dict, "array", py::none());
      read_dictionary(py::reinterpret_borrow<py::dict>(dict), policy, given);
    }
  } catch (const Error& error) {
    succeeds([&] { report.merge(error.report()); });
  } catch (py::error_already_set& error) {
    given.raised.emplace(error);
    succeeds([&] {
      failed((PyDict_Check(object.ptr()) ? "the dictionary raised " : "__distarray__() raised ") + one_line(error));
    });
  } catch (const std::exception& error) {
    succeeds([&] { failed(error.what()); });
  }
  return given;
}

}  // namespace tridap::python
