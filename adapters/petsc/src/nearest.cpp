#include "form.hpp"
#include <tridap/compare.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/make.hpp>

#include <algorithm>
#include <utility>

namespace tridap::petsc {

namespace {

// The bounds of an axis if each coordinate has at least `least` grid points there; else bounds that differ by at
// most 1.
std::vector<Index> possible_bounds(const Axis& axis, Index least, Index number) {
  const Index grid = axis.proc_grid_size();
  const auto* block = axis.block();
  std::vector<Index> bounds;
  if (block != nullptr) {
    bounds = inner_bounds(*block);
    bool possible = true;
    for (std::size_t c = 0; c + 1 < bounds.size(); ++c) possible = possible && bounds[c + 1] - bounds[c] >= least;
    if (possible) return bounds;
  }
  const Index size = block != nullptr ? bounds.back() : axis.size();
  if (size / grid < least)
    refuse("a DMDA cannot have " + std::to_string(size) + " grid points on " + std::to_string(grid) +
               " processes with at least " + std::to_string(least) + " on each",
           "", "use fewer processes on this axis, or a smaller stencil width", number);
  bounds.clear();
  for (Index c = 0; c <= grid; ++c) bounds.push_back(c * (size / grid) + std::min(c, size % grid));
  return bounds;
}

}  // namespace

Distribution nearest(const Distribution& distribution, const DmdaOptions& options) {
  if (std::holds_alternative<Form>(form_of(distribution, options))) return distribution;
  const Index axes = grid_axes(distribution, options), padding = widest_padding(distribution, axes);
  const Index width = options.stencil_width.value_or(padding > 0 ? padding : 1);
  std::vector<AxisSpec> specs;
  std::vector<Index> shape, grid;
  for (Index i = 0; i < axes; ++i) {
    const Axis& axis = distribution.axis(i);
    const auto* block = axis.block();
    const bool wide = axis.proc_grid_size() > 1 || axis.periodic();
    std::vector<Index> starts = possible_bounds(axis, wide ? std::max<Index>(width, 1) : 1, i);
    const Index size = starts.back();
    const bool beyond = padding > 0 && block != nullptr && (axis.periodic() || axis.has_edges());
    const Index edge = beyond ? width : 0;
    starts.pop_back();
    for (std::size_t c = 1; c < starts.size(); ++c) starts[c] += edge;
    BlockSpec spec = block_at(std::move(starts));
    spec.padding = padding > 0 ? width : 0;
    spec.edges = {edge, edge};
    spec.periodic = block != nullptr && axis.periodic();
    specs.push_back(std::move(spec));
    shape.push_back(size + 2 * edge);
    grid.push_back(axis.proc_grid_size());
  }
  if (options.dof) {
    specs.push_back(whole());
    shape.push_back(distribution.axis(axes).size());
    grid.push_back(1);
  }
  return Distribution::make(shape, specs, grid);
}

std::optional<std::string> refusal(const Distribution& distribution, const DmdaOptions& options) {
  const auto found = form_of(distribution, options);
  const auto* const obstacle = std::get_if<Obstacle>(&found);
  if (obstacle == nullptr) return std::nullopt;
  std::string text = "a DMDA cannot hold axis " + std::to_string(obstacle->axis.value_or(0)) + ": " + obstacle->fault;
  try {
    return text + "; the nearest that it can hold is " + describe(nearest(distribution, options));
  } catch (const Error& none) {
    const Finding& why = none.report().findings().front();
    return text + "; there is no nearest: " + why.value + ": " + why.remedy;
  }
}

}  // namespace tridap::petsc
