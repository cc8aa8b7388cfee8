#include "form.hpp"

#include <tridap/detail/refuse.hpp>
#include <tridap/internal/number_texts.hpp>

#include <algorithm>
#include <utility>

namespace tridap::petsc {

namespace {

using Edges = std::array<Index, 2>;

// The first border of an axis that has another width than `width` on either side; empty: there is none.
std::string other_width(const BlockKind& block, Index width) {
  for (Index c = 0; c < block.grid(); ++c) {
    const auto [left, right] = block.communication(c);
    if (c > 0 && left != width)
      return "padding of width " + std::to_string(left) + " at coordinate " + std::to_string(c);
    if (c < block.grid() - 1 && right != width)
      return "padding of width " + std::to_string(right) + " at coordinate " + std::to_string(c);
  }
  const Edges edges = block.edges();
  if (edges != Edges{0, 0} && edges != Edges{width, width})
    return "boundary padding of widths " + std::to_string(edges[0]) + " and " + std::to_string(edges[1]);
  return "";
}

// Adds an axis to the form, or says why it cannot.
std::optional<Obstacle> add_axis(const Axis& axis, Index number, bool padded, Form& form) {
  const auto* block = axis.block();
  if (block == nullptr)
    return Obstacle{
        std::string("it is ") + (axis.dist_type() == 'c' ? "cyclic" : "unstructured") + ", and a DMDA has blocks",
        number};
  if (padded) {
    const std::string other = other_width(*block, form.width);
    if (!other.empty())
      return Obstacle{"it has " + other + ", and a DMDA has one stencil width, here " + std::to_string(form.width),
                      number};
  }
  AxisForm made;
  const Edges edges = block->edges();
  const bool has_edges = edges != Edges{0, 0};
  made.boundary = axis.periodic() ? DM_BOUNDARY_PERIODIC : has_edges ? DM_BOUNDARY_GHOSTED : DM_BOUNDARY_NONE;
  if (padded && form.width > 0 && axis.periodic() && !has_edges)
    return Obstacle{"it is periodic, but has no padding at the outer edges", number};
  const std::vector<Index> bounds = inner_bounds(*block);
  made.size = bounds.back();
  const bool wide = axis.proc_grid_size() > 1 || axis.periodic();
  const Index least = wide ? std::max<Index>(form.width, 1) : 1;
  for (std::size_t c = 0; c + 1 < bounds.size(); ++c) {
    made.lengths.push_back(bounds[c + 1] - bounds[c]);
    if (made.lengths.back() < least)
      return Obstacle{"coordinate " + std::to_string(c) + " has " +
                          counted(made.lengths.back(), "grid point", "grid points") + ", and a DMDA needs at least " +
                          std::to_string(least) + " on each process for a stencil of width " +
                          std::to_string(form.width),
                      number};
  }
  form.axes.push_back(std::move(made));
  return std::nullopt;
}

}  // namespace

std::vector<Index> inner_bounds(const BlockKind& block) {
  const Edges edges = block.edges();
  const Index size = block.size() - edges[0] - edges[1];
  std::vector<Index> bounds;
  for (Index c = 0; c <= block.grid(); ++c) bounds.push_back(std::clamp<Index>(block.begin(c) - edges[0], 0, size));
  return bounds;
}

Index grid_axes(const Distribution& distribution, const DmdaOptions& options) {
  const Index axes = distribution.ndim() - (options.dof ? 1 : 0);
  if (axes < 1 || axes > 3)
    refuse("the distribution has " + std::to_string(axes) + (axes == 1 ? " axis" : " axes") +
               (options.dof ? " without that of the degrees of freedom" : ""),
           "a DMDA has 1, 2 or 3", options.dof ? "give dof only if the last axis is no axis of the grid" : "join axes");
  if (options.stencil_width && *options.stencil_width < 0)
    refuse_key("stencil_width", std::to_string(*options.stencil_width), "must be at least 0", "give a width, or none");
  if (!options.dof) return axes;
  const Axis& last = distribution.axis(axes);
  if (last.proc_grid_size() != 1 || last.dist_type() != 'b' || last.has_communication_padding() || last.periodic() ||
      last.size() < 1)
    refuse("the last axis has the degrees of freedom of a grid point, which are on one process", "",
           "distribute it over one process, without padding", axes);
  return axes;
}

Index widest_padding(const Distribution& distribution, Index axes) {
  Index widest = 0;
  for (Index i = 0; i < axes; ++i)
    if (const auto* block = distribution.axis(i).block())
      for (Index c = 0; c < block->grid(); ++c) widest = std::max({widest, block->padding(c)[0], block->padding(c)[1]});
  return widest;
}

std::variant<Form, Obstacle> form_of(const Distribution& distribution, const DmdaOptions& options) {
  const Index axes = grid_axes(distribution, options);
  const Index padding = widest_padding(distribution, axes);
  Form form;
  form.width = options.stencil_width.value_or(padding > 0 ? padding : 1);
  if (options.dof) form.dof = distribution.axis(axes).size();
  for (Index i = 0; i < axes; ++i)
    if (const auto found = add_axis(distribution.axis(i), i, padding > 0, form)) return *found;
  return form;
}

}  // namespace tridap::petsc
