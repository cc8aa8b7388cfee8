#include "array.hpp"
#include "bindings.hpp"
#include "pickled_distribution.hpp"
#include "python_methods.hpp"
#include "text_argument.hpp"
#include "value.hpp"
#include <tridap/compare.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/draw.hpp>
#include <tridap/gather_distribution.hpp>
#include <tridap/make.hpp>
#include <tridap/read.hpp>
#include <tridap/slabs.hpp>

#include <pybind11/stl.h>

namespace tridap::python {

namespace {

using namespace py::literals;

Index process_of(const Distribution& distribution, Index process) {
  if (process < 0 || process >= distribution.processes())
    throw py::index_error("process is " + std::to_string(process) + ", must be at least 0 and less than " +
                          std::to_string(distribution.processes()));
  return process;
}

Part part_named(const std::string& name) {
  if (name == "local") return Part::local;
  if (name == "owned") return Part::owned;
  if (name == "interior") return Part::interior;
  throw py::value_error("part must be \"local\", \"owned\" or \"interior\", not \"" + name + "\"");
}

std::vector<Index> any_extents(const Distribution& d) {
  return std::vector<Index>(static_cast<std::size_t>(d.ndim()), -1);
}

Indices global_of(const Distribution& d, const py::args& given) {
  return indices_of(given, any_extents(d), "global index");
}

py::tuple box(const Distribution& d, Index process, const Text& part) {
  py::list slices;
  for (const Range& range : d.part(process_of(d, process), part_named(part)))
    slices.append(py::slice(range.begin, range.end, 1));
  return py::tuple(slices);
}

// The global indices of a part along each axis, as NumPy arrays.
py::tuple indices(const Distribution& d, Index process, const Text& part) {
  const Indices at = d.coordinates(process_of(d, process));
  py::list all;
  for (Index i = 0; i < d.ndim(); ++i) {
    const Index c = at[static_cast<std::size_t>(i)];
    const Range range = d.axis(i).part(c, part_named(part));
    py::array_t<Index> list(range.size());
    Index* const out = list.mutable_data();
    d.axis(i).for_each(c, part_named(part), [&](Index local, Index global) { out[local - range.begin] = global; });
    all.append(std::move(list));
  }
  return py::tuple(all);
}

py::tuple dim_data(const Distribution& d, Index process, const Text& version) {
  const Version wanted = version_named(version);
  py::list all;
  for (const Dimension& dimension : d.dim_data(process_of(d, process), wanted)) all.append(dictionary(dimension));
  return py::tuple(all);
}

// A slab of one axis as pairs of Python slices, of the file and of the local buffer.
std::vector<std::pair<py::slice, py::slice>> slices_of(const AxisSlab& slab) {
  if (slab.block == 1)
    return {{py::slice(slab.start, slab.last() + 1, slab.count > 1 ? slab.stride : 1),
             py::slice(slab.local.begin, slab.local.end, 1)}};
  std::vector<std::pair<py::slice, py::slice>> slices;
  for (Index k = 0; k < slab.count; ++k) {
    const Index start = slab.start + k * slab.stride, local = slab.local.begin + k * slab.block;
    slices.emplace_back(py::slice(start, start + slab.block, 1), py::slice(local, local + slab.block, 1));
  }
  return slices;
}

py::list slabs(const Distribution& d, Index process, const Text& part) {
  std::vector<std::pair<py::tuple, py::tuple>> all{{py::tuple(), py::tuple()}};
  const Slabs found = d.slabs(process_of(d, process), part_named(part));
  for (const auto& axis : found.axes()) {
    std::vector<std::pair<py::tuple, py::tuple>> longer;
    for (const auto& [file, memory] : all)
      for (const AxisSlab& slab : axis)
        for (const auto& [in_file, in_memory] : slices_of(slab))
          longer.emplace_back(file + py::make_tuple(in_file), memory + py::make_tuple(in_memory));
    all = std::move(longer);
  }
  py::list pairs;
  for (const auto& [file, memory] : all) pairs.append(py::make_tuple(file, memory));
  return pairs;
}

// The Distribution that the versions, dim_data and local shapes of all processes describe, in which lists are indices.
Distribution gathered(const py::list& of_each_process) {
  std::vector<DistArray> arrays;
  Report report;
  for (const py::handle said : of_each_process) {
    const auto parts = py::cast<py::tuple>(said);
    Buffer buffer;
    buffer.type = element_type<unsigned char>();
    buffer.memory.kind = Memory::Kind::nowhere;
    buffer.shape = IndexList(py::cast<std::vector<Index>>(parts[2]));
    buffer.strides = row_major_strides(buffer.shape, 1);
    ReadArray read = read_array(to_value(parts[0]), to_value(parts[1]), std::move(buffer), Source::json);
    read.report.set_process(static_cast<Index>(arrays.size()));
    report.merge(read.report);
    arrays.push_back(std::move(read.array));
  }
  tridap::throw_if_wrong(report);
  return gather_distribution(arrays);
}

void need_processes(const Distribution& d, Index processes) {
  if (d.processes() == processes) return;
  const std::string wanted = std::to_string(processes);
  refuse("the distribution has " + std::to_string(d.processes()) + " processes, but the communicator has " + wanted, "",
         "make it with processes=" + wanted + ", or pass comm=comm, with as many processes", {}, Rule::grid_product);
}

py::object local_index_on(const Distribution& d, Index process, const py::args& global) {
  const auto found = d.local_index(process_of(d, process), global_of(d, global));
  return found ? py::object(tuple_of(*found)) : py::none();
}

py::tuple global_index_on(const Distribution& d, Index process, const py::args& local) {
  return tuple_of(d.global_index(process, indices_of(local, d.local_shape(process_of(d, process)), "local index")));
}

bool are_equal(const Distribution& d, const Distribution& other) {
  const Comparison comparison = compare(d, other);
  return comparison.same_owners && comparison.same_places;
}

void bind_shapes(py::class_<Distribution>& type) {
  const auto property = property_of(type);
  property("shape", "The number of elements along each axis of the whole array, boundary padding included.",
           [](const Distribution& d) { return tuple_of(d.shape()); });
  property("ndim", "How many axes there are.", [](const Distribution& d) { return d.ndim(); });
  property("grid", "Processes along each axis.", [](const Distribution& d) { return tuple_of(d.proc_grid_shape()); });
  property("processes", "How many processes there are.", [](const Distribution& d) { return d.processes(); });
  type.def(
      "coordinates",
      [](const Distribution& d, Index process) { return tuple_of(d.coordinates(process_of(d, process))); }, "process"_a,
      "coordinates(process) -> tuple of int\n\nThe process's coordinates in the grid.");
  type.def(
      "local_shape",
      [](const Distribution& d, Index process) { return tuple_of(d.local_shape(process_of(d, process))); }, "process"_a,
      "local_shape(process) -> tuple of int\n\nThe shape of the buffer on that process, padding included.");
  type.def(
      "count",
      [](const Distribution& d, Index process, const Text& part) {
        return d.count(process_of(d, process), part_named(part));
      },
      "process"_a, "part"_a = "owned",
      R"(count(process, part="owned") -> int

How many elements are in the "local", "owned" or "interior" part of that process; DistArray has NumPy views of the same names.)");
}

void bind_elements(py::class_<Distribution>& type) {
  type.def("part", &box, "process"_a, "part"_a = "owned",
           "part(process, part=\"owned\") -> tuple of slice\n\nThe slices that select a part from the local buffer; "
           "part as in count().")
      .def("indices", &indices, "process"_a, "part"_a = "owned",
           R"(indices(process, part="owned") -> tuple of numpy.ndarray

The global indices of a part along each axis, in local order (int64); part as in count(). ``numpy.ix_`` makes a grid of them.)")
      .def("slabs", &slabs, "process"_a, "part"_a = "owned",
           R"(slabs(process, part="owned") -> list of (tuple of slice, tuple of slice)

Where a process's elements are in a file, or another array, that holds the whole array: pairs of slices of the file and of
the local buffer with the same elements. Write with them to any format: ``file[where] = local[here]``. With "owned", each
element of the array is written by one process; with "local", the padding is read too; part as in count().

A cyclic axis with blocks of 1 has one slice, with a step; with longer blocks, one for each block. The position of an
unstructured index is the index itself, if all indices of the axis are in [0, size); else its position among the sorted
distinct indices.)")
      .def(
          "owner", [](const Distribution& d, const py::args& g) { return d.owner(global_of(d, g)); },
          R"(owner(*index) -> int or None

The process that owns a global index, the lowest if several do; None if no process does.)")
      .def(
          "owners", [](const Distribution& d, const py::args& g) { return tuple_of(d.owners(global_of(d, g))); },
          R"(owners(*index) -> tuple of int

All processes that own a global index, ascending; several for shared unstructured indices.)")
      .def("local_index", &local_index_on,
           "local_index(process, *index) -> tuple of int or None\n\nThe local index on that process of a global index; "
           "None if that process does not own it.")
      .def("global_index", &global_index_on,
           "global_index(process, *local) -> tuple of int\n\nThe global index of a local index on that process.")
      .def("dim_data", &dim_data, "process"_a, "version"_a = "0.10.0",
           R"(dim_data(process, version="0.10.0") -> tuple of dict

The dim_data that __distarray__ returns on that process. ProtocolError if that version cannot describe it.)");
}

void bind_pictures(py::class_<Distribution>& type) {
  type.def(
          "describe", [](const Distribution& d) { return describe(d); },
          "describe() -> str\n\nOne line: \"block x cyclic over 2 x 3 processes\".")
      .def(
          "draw",
          [](const Distribution& d, Index columns, Index lines, const Text& title, bool colour) {
            return draw_text(d, {title, {}, columns, lines, colour});
          },
          "columns"_a = 80, "lines"_a = 40, "title"_a = "", "colour"_a = false,
          R"(draw(columns=80, lines=40, title="", colour=False) -> str

A picture of the owners, for a terminal of that many characters; str() draws it too.)")
      .def(
          "svg",
          [](const Distribution& d, const Text& title) {
            return draw_svg(d, {title, {}, 48, 64});
          },
          "title"_a = "",
          "svg(title=\"\") -> str\n\nA picture of the owners and the local buffers, as an SVG document.")
      .def(
          "to_html",
          [](const py::object& d, const py::object& to, const py::object& title) {
            return function_of("tridap._html", "page")(d, to, title);
          },
          "to"_a = py::none(), "title"_a = "",
          R"(to_html(to=None, title="") -> str

A page for a browser, as one HTML document that needs no network: point at an element to read its owner, its local index
and the processes that have it as padding. Local.

Args:
    to: a Distribution or a DistArray. The page shows both side by side, and what each process sends to each other one if
        an array moves to this distribution.
    title: a text; the default is what describe() returns.)")
      .def("_repr_html_", [](const Distribution& d) { return draw_small_svg(d); })
      .def("__str__", [](const Distribution& d) { return draw_text(d); })
      .def("__repr__", [](const Distribution& d) { return "<tridap.Distribution: " + describe(d) + ">"; });
}

constexpr const char* distribution_text =
    R"(How a whole array is distributed over a process grid. Any process may ask about any other.

distribution() makes one, and a DistArray that was made with comm= has one. Processes are numbered by their grid
coordinates in row-major order.

Two are equal (==) if they have the same shape, and every global index has the same owners and the same local indices
there. How they were described does not matter: blocks of 2 over 3 processes are equal to the lists [0, 1], [2, 3] and [4];
padding above the last owned element does not matter either. Equal ones have the same hash, so they can be keys of a dict.
They can be pickled, and sent with mpi4py: layout = comm.bcast(layout).)";

}  // namespace

void bind_distribution(py::module_& module) {
  py::class_<Distribution> type(module, "Distribution", py::custom_type_setup(forbid_new), distribution_text);
  bind_shapes(type);
  bind_elements(type);
  bind_pictures(type);
  type.def(
          "difference", [](const Distribution& d, const Distribution& other) { return compare(d, other).difference; },
          "other"_a,
          "difference(other) -> str\n\nThe first difference of two distributions, in words; empty if they are equal.")
      .def("__eq__", &are_equal, py::is_operator())
      .def("__hash__", &hash_of)
      .def("__reduce__", [](const Distribution& d) {
        return py::make_tuple(function_of("tridap._make", "_restored"), py::make_tuple(state_of(d)));
      });
  module.def("_from_state", &from_state);
  module.def("_gathered", &gathered);
  module.def("_need_processes", &need_processes);
}

}  // namespace tridap::python
