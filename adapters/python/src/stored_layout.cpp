// What the attributes of a saved array say of its distribution, for formats that Python writes.

#include "bindings.hpp"
#include "dictionaries.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/distribution.hpp>
#include <tridap/flat_numbers.hpp>
#include <tridap/internal/stored_layout.hpp>
#include <tridap/make.hpp>

#include <pybind11/stl.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tridap::python {

namespace {

using stored_layout::AxisLayout;
using stored_layout::Layout;
using Lists = std::vector<std::vector<Index>>;

// A class of its own: pybind11 makes a list of a std::vector.
struct StoredAxes {
  Layout axes;
};

// The text of `dim_data`, the bounds and the padding, and by axis the borders of blocks. Lists are below `name`.
py::tuple layout_said(const Distribution& distribution, const std::string& name) {
  Layout layout = stored_layout::layout_of(distribution);
  Lists bounds, padding, borders;
  for (std::size_t i = 0; i < layout.size(); ++i) {
    if (layout[i].dist_type == 'u') layout[i].indices = name + "/" + std::to_string(i);
    bounds.push_back(layout[i].bounds);
    padding.push_back(layout[i].padding);
    borders.push_back(layout[i].dist_type == 'b' ? stored_layout::borders_of(layout[i]) : std::vector<Index>());
  }
  return py::make_tuple(stored_layout::layout_text(layout), bounds, padding, borders);
}

StoredAxes read_said(const std::string& text, Lists bounds, Lists padding, const std::vector<Index>& shape) {
  Layout layout = stored_layout::read_layout(text);
  std::vector<Index> sizes;
  for (const AxisLayout& axis : layout) sizes.push_back(axis.size);
  bounds.resize(layout.size());
  padding.resize(layout.size());
  if (sizes != shape)
    refuse("the attribute 'dim_data' describes another shape than the array has", "",
           "save the array again, or remove the attribute 'dim_data'");
  for (std::size_t i = 0; i < layout.size(); ++i) {
    if (layout[i].dist_type != 'c') layout[i].bounds = std::move(bounds[i]);
    if (layout[i].dist_type == 'b') layout[i].padding = std::move(padding[i]);
  }
  stored_layout::need_bounds(layout);
  return {std::move(layout)};
}

// The product of the grid; -1: it does not fit.
Index processes_of(const Layout& layout) {
  std::vector<Index> grid;
  for (const AxisLayout& axis : layout) grid.push_back(axis.proc_grid_size);
  return checked_product(grid).value_or(-1);
}

// The unstructured axes: number, place of the lists, their bounds, and whether positions are not the indices.
py::list lists_of(const Layout& layout) {
  py::list all;
  for (std::size_t i = 0; i < layout.size(); ++i)
    if (layout[i].dist_type == 'u')
      all.append(py::make_tuple(i, layout[i].indices, layout[i].bounds, layout[i].is_compact()));
  return all;
}

Distribution distribution_of(const Layout& layout) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < layout.size(); ++i)
    axes.push_back(stored_layout::axis_of(layout[i], static_cast<Index>(i)));
  return Distribution(std::move(axes));
}

// By axis: the dictionary of a process, and its elements with padding. Those of unstructured axes are not known yet.
py::list part_of(const Layout& layout, Index rank) {
  std::vector<Index> here(layout.size());
  for (std::size_t i = layout.size(); i-- > 0; rank /= layout[i].proc_grid_size)
    here[i] = rank % layout[i].proc_grid_size;
  py::list all;
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const AxisLayout& axis = layout[i];
    if (axis.dist_type != 'u') {
      const Axis made = stored_layout::axis_of(axis, static_cast<Index>(i));
      all.append(py::make_tuple(dictionary(made.dimension(here[i])), made.part(here[i], Part::local).size()));
      continue;
    }
    Dimension dimension;
    dimension.size = axis.size;
    dimension.proc_grid_size = axis.proc_grid_size;
    dimension.proc_grid_rank = here[i];
    dimension.periodic = axis.periodic;
    dimension.dist = Unstructured{{}, axis.one_to_one};
    py::dict said = dictionary(dimension);
    said["indices"] = py::none();
    all.append(py::make_tuple(said, 0));
  }
  return all;
}

Distribution default_of(const Layout& layout, Index processes) {
  std::vector<Index> shape;
  for (const AxisLayout& axis : layout) shape.push_back(axis.size);
  return stored_layout::default_of(shape, stored_layout::specs_of(layout), processes);
}

}  // namespace

void bind_stored_layout(py::module_& module) {
  py::class_<StoredAxes>(module, "_Layout", py::custom_type_setup(forbid_new))
      .def("_processes", [](const StoredAxes& stored) { return processes_of(stored.axes); })
      .def("_lists", [](const StoredAxes& stored) { return lists_of(stored.axes); })
      .def("_distribution", [](const StoredAxes& stored) { return distribution_of(stored.axes); })
      .def("_part", [](const StoredAxes& stored, Index rank) { return part_of(stored.axes, rank); })
      .def("_default", [](const StoredAxes& stored, Index processes) { return default_of(stored.axes, processes); });
  module.def("_layout_of", &layout_said);
  module.def("_read_layout", &read_said);
}

}  // namespace tridap::python
