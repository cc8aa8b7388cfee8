#include "array.hpp"
#include "bindings.hpp"
#include "pickled_distribution.hpp"
#include "text_argument.hpp"
#include "value.hpp"
#include <tridap/compare.hpp>
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

template <class Kind>
bool add_where_it_is(std::vector<AxisSpec>& specs, py::handle spec) {
  if (!py::isinstance<Kind>(spec)) return false;
  specs.push_back(value_in<Kind>(spec));
  return true;
}

std::vector<AxisSpec> specs_of(const py::list& given) {
  std::vector<AxisSpec> specs;
  for (const py::handle spec : given)
    if (!add_where_it_is<BlockSpec>(specs, spec) && !add_where_it_is<CyclicSpec>(specs, spec) &&
        !add_where_it_is<UnstructuredSpec>(specs, spec) && !add_where_it_is<WholeSpec>(specs, spec))
      throw py::type_error("an axis is described by a " + std::string(Py_TYPE(spec.ptr())->tp_name) +
                           ", must be what block(), cyclic(), unstructured() or whole() return");
  return specs;
}

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
}

}  // namespace

void bind_distribution(py::module_& module) {
  bind_specs(module);
  py::class_<Distribution>(module, "Distribution", py::custom_type_setup(forbid_new),
                           R"(How a whole array is distributed over a process grid. Any process may ask about any other.

distribution() makes one, and a DistArray that was made with comm= has one. Processes are numbered by their grid
coordinates in row-major order.

Two are equal (==) if they have the same shape, and every global index has the same owners and the same local indices
there. How they were described does not matter: blocks of 2 over 3 processes are equal to the lists [0, 1], [2, 3] and [4];
padding above the last owned element does not matter either. Equal ones have the same hash, so they can be keys of a dict.
They can be pickled, and sent with mpi4py: layout = comm.bcast(layout).)")
      .def_property_readonly(
          "shape", [](const Distribution& d) { return tuple_of(d.shape()); },
          "The number of elements along each axis of the whole array, boundary padding included.")
      .def_property_readonly(
          "ndim", [](const Distribution& d) { return d.ndim(); }, "How many axes there are.")
      .def_property_readonly(
          "grid", [](const Distribution& d) { return tuple_of(d.proc_grid_shape()); }, "Processes along each axis.")
      .def_property_readonly(
          "processes", [](const Distribution& d) { return d.processes(); }, "How many processes there are.")
      .def(
          "coordinates",
          [](const Distribution& d, Index process) { return tuple_of(d.coordinates(process_of(d, process))); },
          "process"_a, "coordinates(process) -> tuple of int\n\nThe process's coordinates in the grid.")
      .def(
          "local_shape",
          [](const Distribution& d, Index process) { return tuple_of(d.local_shape(process_of(d, process))); },
          "process"_a,
          "local_shape(process) -> tuple of int\n\nThe shape of the buffer on that process, padding included.")
      .def(
          "count",
          [](const Distribution& d, Index process, const Text& part) {
            return d.count(process_of(d, process), part_named(part));
          },
          "process"_a, "part"_a = "owned",
          "count(process, part=\"owned\") -> int\n\nHow many elements are in the \"local\", \"owned\" or "
          "\"interior\" part of that process; DistArray has NumPy views of the same names.")
      .def("part", &box, "process"_a, "part"_a = "owned",
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
          "owners(*index) -> tuple of int\n\nAll processes that own a global index, ascending; several for shared "
          "unstructured "
          "indices.")
      .def(
          "local_index",
          [](const Distribution& d, Index process, const py::args& g) -> py::object {
            const auto found = d.local_index(process_of(d, process), global_of(d, g));
            return found ? py::object(tuple_of(*found)) : py::none();
          },
          "local_index(process, *index) -> tuple of int or None\n\nThe local index on that process of a global index; "
          "None if that process does not own it.")
      .def(
          "global_index",
          [](const Distribution& d, Index process, const py::args& local) {
            const Indices at = indices_of(local, d.local_shape(process_of(d, process)), "local index");
            return tuple_of(d.global_index(process, at));
          },
          "global_index(process, *local) -> tuple of int\n\nThe global index of a local index on that process.")
      .def("dim_data", &dim_data, "process"_a, "version"_a = "0.10.0",
           R"(dim_data(process, version="0.10.0") -> tuple of dict

The dim_data that __distarray__ returns on that process. ProtocolError if that version cannot describe it.)")
      .def(
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
            return py::module_::import("tridap._html").attr("page")(d, to, title);
          },
          "to"_a = py::none(), "title"_a = "",
          R"(to_html(to=None, title="") -> str

A page for a browser, as one HTML document that needs no network: point at an element to read its owner, its local index
and the processes that have it as padding. Local.

Args:
    to: a Distribution or a DistArray. The page shows both side by side, and what each process sends to each other one if
        an array moves to this distribution.
    title: a text; the default is what describe() returns.)")
      .def(
          "difference", [](const Distribution& d, const Distribution& other) { return compare(d, other).difference; },
          "other"_a,
          "difference(other) -> str\n\nThe first difference of two distributions, in words; empty if they are equal.")
      .def("_repr_html_", [](const Distribution& d) { return draw_small_svg(d); })
      .def("__str__", [](const Distribution& d) { return draw_text(d); })
      .def("__repr__", [](const Distribution& d) { return "<tridap.Distribution: " + describe(d) + ">"; })
      .def(
          "__eq__",
          [](const Distribution& d, const Distribution& other) {
            const Comparison comparison = compare(d, other);
            return comparison.same_owners && comparison.same_places;
          },
          py::is_operator())
      .def("__hash__", &hash_of)
      .def("__reduce__", [](const Distribution& d) {
        return py::make_tuple(py::module_::import("tridap._make").attr("_restored"), py::make_tuple(state_of(d)));
      });
  module.def("_from_state", &from_state);
  module.def("_gathered", &gathered);
  module.def("_need_processes", [](const Distribution& d, Index processes) {
    if (d.processes() != processes)
      throw Error(Finding{
          Rule::grid_product,
          {},
          {},
          "",
          "the distribution has " + std::to_string(d.processes()) + " processes, but the communicator has " +
              std::to_string(processes),
          "",
          "make it with processes=" + std::to_string(processes) + ", or pass comm=comm, with as many processes"});
  });
  module.def("_make", [](const std::vector<Index>& shape, const py::list& given,
                         const std::optional<std::vector<Index>>& grid, Index processes) {
    const std::vector<AxisSpec> specs = specs_of(given);
    if (shape.size() != specs.size())
      throw Error(Finding{
          Rule::shape_ndim,
          {},
          {},
          "",
          "shape has length " + std::to_string(shape.size()) + ", but dist has length " + std::to_string(specs.size()),
          "",
          "give one entry of dist for each axis, such as (\"b\", \"*\")"});
    if (grid && grid->size() != shape.size())
      throw Error(Finding{
          Rule::shape_ndim,
          {},
          {},
          "",
          "shape has length " + std::to_string(shape.size()) + ", but grid has length " + std::to_string(grid->size()),
          "",
          "give one number of processes for each axis"});
    return Distribution::make(shape, specs, grid ? *grid : default_grid(processes, specs));
  });
}

}  // namespace tridap::python
