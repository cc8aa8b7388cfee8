#include "bindings.hpp"
#include "text_argument.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/distribution.hpp>
#include <tridap/internal/axis_texts.hpp>
#include <tridap/make.hpp>

#include <pybind11/stl.h>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tridap::python {

namespace {

using namespace py::literals;

// A text as bytes that are a file's name as well, and back.
std::string bytes_of(py::handle text) {
  const auto bytes =
      py::reinterpret_steal<py::object>(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (bytes) return py::cast<std::string>(bytes);
  PyErr_Clear();
  return utf8_text(text);
}

py::object text_of_bytes(const std::string& bytes) {
  auto text = py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape"));
  if (!text) throw py::error_already_set();
  return text;
}

// Raises OSError if a file cannot be read.
std::string content_of(const std::string& file) {
  const py::object opened = py::module_::import("builtins").attr("open")(text_of_bytes(file), "rb");
  const auto content = py::cast<std::string>(opened.attr("read")());
  opened.attr("close")();
  return content;
}

template <class Read>
auto read_text(const Read& read) {
  try {
    return read();
  } catch (const NoLists& error) {
    throw py::value_error(error.what());
  } catch (const NotAnAxis& error) {
    throw py::value_error(
        "dist is " + utf8_text(py::repr(text_of_bytes(error.axis()))) +
        " for an axis, must be 'b', 'b:0,3,5' (the start of each coordinate), 'c', 'c:2', 'c:2@1' (coordinate 1 gets "
        "the first block), 'u:FILE' (a JSON file with lists of indices), '*', or lists of indices");
  }
}

template <class Kind>
bool add_where_it_is(std::vector<AxisSpec>& specs, py::handle spec) {
  if (!py::isinstance<Kind>(spec)) return false;
  specs.push_back(value_in<Kind>(spec));
  return true;
}

bool add_spec(std::vector<AxisSpec>& specs, py::handle given) {
  return add_where_it_is<BlockSpec>(specs, given) || add_where_it_is<CyclicSpec>(specs, given) ||
         add_where_it_is<UnstructuredSpec>(specs, given) || add_where_it_is<WholeSpec>(specs, given);
}

// What distribution() takes for one axis.
void add_axis(std::vector<AxisSpec>& specs, py::handle given) {
  if (given.is_none())
    specs.push_back(whole());
  else if (PyUnicode_Check(given.ptr()))
    specs.push_back(read_text([&] { return axis_named(bytes_of(given), content_of); }));
  else if (!add_spec(specs, given))
    add_spec(specs, py::module_::import("tridap._make").attr("unstructured")(given));
}

// What it takes for all axes.
std::vector<AxisSpec> specs_of(const py::object& given, std::size_t ndim) {
  if (given.is_none()) return std::vector<AxisSpec>(ndim, block());
  if (PyUnicode_Check(given.ptr())) return read_text([&] { return axes_named(bytes_of(given), content_of); });
  std::vector<AxisSpec> specs;
  if (add_spec(specs, given)) return specs;
  for (const py::handle axis : given) add_axis(specs, axis);
  return specs;
}

void need_length(const std::vector<Index>& shape, std::size_t length, const char* what, const char* remedy) {
  if (length != shape.size())
    throw Error(Finding{
        Rule::shape_ndim,
        {},
        {},
        "",
        "shape has length " + std::to_string(shape.size()) + ", but " + what + " has length " + std::to_string(length),
        "",
        remedy});
}

Distribution make_distribution(const std::vector<Index>& shape, const py::object& dist,
                               const std::optional<std::vector<Index>>& grid, Index processes) {
  const std::vector<AxisSpec> specs = specs_of(dist, shape.size());
  need_length(shape, specs.size(), "dist", "give one entry of dist for each axis, such as (\"b\", \"*\")");
  if (grid) need_length(shape, grid->size(), "grid", "give one number of processes for each axis");
  return Distribution::make(shape, specs, grid ? *grid : default_grid(processes, specs));
}

}  // namespace

void bind_specs(py::module_& module) {
  py::class_<BlockSpec>(module, "BlockSpec", "An axis distributed in contiguous ranges; block() makes one.")
      .def(py::init([](std::optional<Index> length, std::optional<std::vector<Index>> starts, Index padding,
                       std::array<Index, 2> edges, bool periodic) {
             return BlockSpec{length, std::move(starts), padding, edges, periodic};
           }),
           "length"_a, "starts"_a, "padding"_a, "edges"_a, "periodic"_a);
  py::class_<CyclicSpec>(module, "CyclicSpec", "An axis distributed in blocks, round-robin; cyclic() makes one.")
      .def(py::init([](Index block_size, Index first) {
             return CyclicSpec{block_size, first};
           }),
           "block_size"_a, "first"_a);
  py::class_<UnstructuredSpec>(module, "UnstructuredSpec", "An axis as lists of indices; unstructured() makes one.")
      .def(py::init([](std::vector<std::vector<Index>> lists, bool one_to_one) {
             return UnstructuredSpec{std::move(lists), one_to_one};
           }),
           "lists"_a, "one_to_one"_a);
  py::class_<WholeSpec>(module, "WholeSpec", "An axis that is not distributed; whole() makes one.").def(py::init<>());
  module.def("_make", &make_distribution);
}

}  // namespace tridap::python
