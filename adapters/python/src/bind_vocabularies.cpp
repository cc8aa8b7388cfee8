#include "bindings.hpp"
#include <tridap/vocabularies.hpp>

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace tridap::python {

namespace {

using namespace py::literals;
using Pair = std::array<Index, 2>;
using Numbers = std::vector<Index>;

IndexBounds bounds(const Pair& given) { return {given[0], given[1]}; }

std::vector<IndexBounds> all_bounds(const std::vector<Pair>& given) {
  std::vector<IndexBounds> all;
  for (const Pair& pair : given) all.push_back(bounds(pair));
  return all;
}

Index process_of(const Translation& made, Index process) {
  if (process < 0 || process >= made.distribution.processes())
    throw py::index_error("process is " + std::to_string(process) + ", must be at least 0 and less than " +
                          std::to_string(made.distribution.processes()));
  return process;
}

const char* name_of(Order order) { return order == Order::row_major ? "C" : "F"; }

void bind_translation(py::module_& module) {
  py::class_<TranslatedAxis>(module, "_TranslatedAxis", py::custom_type_setup(forbid_new));
  py::class_<Translation>(module, "Translation", py::custom_type_setup(forbid_new),
                          R"(A distribution of another library or language, as a Distribution of the protocol.

scalapack(), essl(), hpf(), chapel(), julia(), x10() and mpi_cart() make one. It also has what the protocol does not know:
the first index of each axis, the numbering of processes, the storage of a process. `losses` says what is lost.)")
      .def_property_readonly(
          "distribution", [](const Translation& t) { return t.distribution; }, "The same as a Distribution.")
      .def_property_readonly(
          "index_base", [](const Translation& t) { return tuple_of(t.index_base); },
          "By axis: the index there of the element that has global index 0 here.")
      .def_property_readonly(
          "process_order", [](const Translation& t) { return name_of(t.process_order); },
          "\"C\": processes are numbered over the grid in row-major order there, as here; \"F\": in column-major "
          "order.")
      .def_property_readonly(
          "storage_order", [](const Translation& t) { return name_of(t.storage_order); },
          "\"C\" or \"F\": the memory order of a process's part there.")
      .def_property_readonly(
          "leading_dimension", [](const Translation& t) { return t.leading_dimension; },
          "Elements from one local column to the next, if it is prescribed; else None.")
      .def_property_readonly(
          "losses", [](const Translation& t) { return py::tuple(py::cast(t.losses)); },
          "What the protocol cannot represent, a text for each.")
      .def(
          "foreign_process", [](const Translation& t, Index p) { return t.foreign_process(process_of(t, p)); },
          "process"_a, "foreign_process(process) -> int\n\nThe number there, from 0, of a process of the distribution.")
      .def(
          "process", [](const Translation& t, Index p) { return t.process(process_of(t, p)); }, "foreign"_a,
          "process(foreign) -> int\n\nThe process of the distribution with a number there, from 0.")
      .def(
          "allocated_shape",
          [](const Translation& t, Index p) { return tuple_of(t.allocated_shape(process_of(t, p))); }, "process"_a,
          "allocated_shape(process) -> tuple of int\n\nThe extents of a process's storage there, in elements: its "
          "local "
          "shape, or more if whole blocks are allocated.")
      .def(
          "strides", [](const Translation& t, Index p) { return tuple_of(t.strides(process_of(t, p))); }, "process"_a,
          "strides(process) -> tuple of int\n\nThe strides of that storage by axis, in elements.")
      .def("__repr__", [](const Translation& t) {
        return "<tridap.Translation: " + py::cast<std::string>(py::repr(py::cast(t.distribution))) + ", " +
               std::to_string(t.losses.size()) + (t.losses.size() == 1 ? " loss>" : " losses>");
      });
  module.def("_translation", [](const py::list& axes) {
    std::vector<TranslatedAxis> all;
    for (const py::handle axis : axes) all.push_back(value_in<TranslatedAxis>(axis));
    return translation(std::move(all));
  });
}

void bind_hpf(py::module_& module) {
  module.def("_hpf_block", [](const Pair& array, Index processors, std::optional<Index> n, Index axis) {
    return n ? hpf::block_of(bounds(array), processors, *n, axis) : hpf::block(bounds(array), processors, axis);
  });
  module.def("_hpf_cyclic", [](const Pair& array, Index processors, Index k, Index axis) {
    return hpf::cyclic(bounds(array), processors, k, axis);
  });
  module.def("_hpf_collapsed", [](const Pair& array, Index axis) { return hpf::collapsed(bounds(array), axis); });
  module.def("_hpf_gen_block", [](const Pair& array, const Numbers& sizes, Index axis) {
    return hpf::gen_block(bounds(array), sizes, axis);
  });
  module.def("_hpf_indirect", [](const Pair& array, Index processors, const Numbers& map, Index axis) {
    return hpf::indirect(bounds(array), processors, map, axis);
  });
  module.def("_hpf_shadow", [](const py::object& of, Index width, Index axis) {
    return hpf::shadow(value_in<TranslatedAxis>(of), width, axis);
  });
}

void bind_chapel(py::module_& module) {
  module.def("_chapel_block", [](const Pair& domain, const Pair& box, Index locales, Index axis) {
    return chapel::block_dist(bounds(domain), bounds(box), locales, axis);
  });
  module.def("_chapel_cyclic", [](const Pair& domain, Index start, Index locales, Index axis) {
    return chapel::cyclic_dist(bounds(domain), start, locales, axis);
  });
  module.def("_chapel_block_cyclic", [](const Pair& domain, Index start, Index length, Index locales, Index axis) {
    return chapel::block_cyc_dist(bounds(domain), start, length, locales, axis);
  });
  module.def("_chapel_stencil",
             [](const Pair& domain, const Pair& box, Index fluff, bool periodic, Index locales, Index axis) {
               return chapel::stencil_dist(bounds(domain), bounds(box), fluff, periodic, locales, axis);
             });
  module.def("_chapel_grid", &chapel::default_grid);
}

}  // namespace

void bind_vocabularies(py::module_& module) {
  bind_translation(module);
  bind_hpf(module);
  bind_chapel(module);
  module.def("_scalapack", [](const Pair& shape, const Pair& blocks, const Pair& first, const Pair& grid,
                              bool column_major, std::optional<Index> lld) {
    return scalapack::matrix({shape[0], shape[1], blocks[0], blocks[1], first[0], first[1], lld},
                             {grid[0], grid[1], column_major ? Order::column_major : Order::row_major});
  });
  module.def("_essl", &essl::matrix);
  module.def("_julia", &julia::darray);
  module.def("_julia_grid", &julia::default_grid);
  module.def("_x10_along", [](const std::vector<Pair>& region, Index along, Index places) {
    return x10::block_along(all_bounds(region), along, places);
  });
  module.def("_x10_block_block", [](const std::vector<Pair>& region, Index first, Index second, Index places) {
    return x10::block_block(all_bounds(region), first, second, places);
  });
  module.def("_mpi_cart",
             [](const Numbers& shape, const Numbers& dims, std::vector<bool> periods, bool reorder, Index width) {
               return mpi_cart::block(shape, {dims, std::move(periods), reorder}, width);
             });
}

}  // namespace tridap::python
