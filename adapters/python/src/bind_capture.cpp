#include "array.hpp"
#include "bindings.hpp"
#include "comm.hpp"
#include "device.hpp"
#include "dictionaries.hpp"
#include "gil.hpp"
#include "text_argument.hpp"
#include "together.hpp"
#include "value.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/draw_html.hpp>
#include <tridap/internal/capture_entry.hpp>
#include <tridap/internal/write_entries.hpp>

namespace tridap::python {

namespace {

using namespace py::literals;

// The dictionary that a capture describes. One of our arrays has the version of its producer.
py::dict captured_dictionary(const py::object& object) {
  if (const Array* const array = array_behind(object)) return array->own_dictionary(array->version());
  Report report;
  const py::object dict = dictionary_of(object, report);
  tridap::throw_if_wrong(report);
  return dict;
}

// Describes the memory of a buffer. If it cannot be read, the value is a text that says why.
Value captured_buffer(const py::object& buffer) {
  try {
    return described(buffer_of_part(part_over(buffer)));
  } catch (const Error& error) {
    return {std::string(error.what())};
  } catch (py::error_already_set& error) {
    rethrow_if_interrupted(error);
    return {one_line(error)};
  }
}

// Throws Error if a dimension states that the array has other processes.
void need_one_process(const Value& dim_data) {
  for (std::size_t axis = 0; axis < dim_data.list_size().value_or(0); ++axis) {
    const Value dimension = dim_data.element(axis);
    const Value* const size = dimension.find("proc_grid_size");
    if (size != nullptr && size->as<Index>() != nullptr && *size->as<Index>() != 1)
      refuse("the axis is distributed over " + size->text() + " processes, but comm is None", "",
             "pass comm=comm, with a communicator of these processes, on every process", static_cast<Index>(axis));
  }
}

// This process's entry in a capture.
std::string entry_of(const py::object& object, Index rank, bool alone) {
  const py::dict dict = captured_dictionary(object);
  std::vector<std::pair<py::object, py::object>> items;  // a copy, since showing a value may change the dictionary
  for (const auto& [key, value] : dict)
    items.emplace_back(py::reinterpret_borrow<py::object>(key), py::reinterpret_borrow<py::object>(value));
  Value::Dict keys;
  for (const auto& [key, value] : items) {
    const Value name = to_value(key);
    const auto* const text = name.as<std::string>();
    const std::string written = text != nullptr ? *text : name.text();
    keys.push_back({written, written == "buffer" ? captured_buffer(value) : to_value(value), true});
    if (alone && written == "dim_data") need_one_process(keys.back().value);
  }
  return capture_entry(rank, {std::move(keys)});
}

std::string path_of(const py::object& path) {
  return py::cast<std::string>(py::module_::import("tridap._capture").attr("bytes_of")(path));
}

void write_capture(const py::object& object, const py::object& path, const py::object& comm) {
  if (comm.is_none()) return mpi::write_entry(path_of(path), entry_of(object, 0, true));
  const MPI_Comm handle = comm_of(comm);
  const UserCall user_call("tridap.write_capture()");
  const auto [file, entry] =
      together(handle, [&] { return std::pair(path_of(path), entry_of(object, mpi::rank_of(handle), false)); });
  const WithoutPython released;
  mpi::write_entries(file, entry, handle);
}

// A page of one or two distributions, with elements of one type. A type that captures have no name for is opaque.
std::string page_of(const std::vector<std::pair<Text, Distribution>>& titled,
                    const std::optional<std::pair<std::string, Index>>& dtype) {
  std::optional<ElementType> type;
  if (dtype) type = element_type(dtype->first).value_or(ElementType{ElementType::Kind::opaque, dtype->second, true});
  const auto array = [&](std::size_t i) { return PageArray{titled[i].first.value, titled[i].second, type}; };
  return titled.size() == 1 ? draw_html(array(0)) : draw_html(array(0), array(1));
}

}  // namespace

void bind_capture(py::module_& module) {
  module.def("_write_capture", &write_capture, "x"_a, "path"_a, "comm"_a);
  module.def("_page", &page_of, "titled"_a, "dtype"_a);
}

}  // namespace tridap::python
