#pragma once

#include <tridap/petsc/dmda.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::petsc {

/// One axis as DMDACreate takes it.
struct AxisForm {
  Index size = 0;              ///< grid points, without those beyond the outer edges
  std::vector<Index> lengths;  ///< grid points of each coordinate
  DMBoundaryType boundary = DM_BOUNDARY_NONE;
};

/// The arguments of DMDACreate that give a distribution, in the order of the array's axes.
struct Form {
  std::vector<AxisForm> axes;
  Index width = 0, dof = 1;
};

/// Why a DMDA cannot hold a distribution: on which axis, and the remedy.
struct Obstacle {
  std::string fault;
  std::optional<Index> axis;
};

/// The arguments, or why there are none. Local.
std::variant<Form, Obstacle> form_of(const Distribution& distribution, const DmdaOptions& options);

/// Throws Error if a distribution cannot be one of 1 to 3 axes in blocks with `options.dof`. Returns the number of axes
/// without that of the degrees of freedom.
Index grid_axes(const Distribution& distribution, const DmdaOptions& options);

/// The widest padding of a distribution, at inner borders and outer edges.
Index widest_padding(const Distribution& distribution, Index axes);

/// The grid points at which the coordinates of a block axis begin, and its end: the outer edges are not counted.
std::vector<Index> inner_bounds(const BlockKind& block);

}  // namespace tridap::petsc

#pragma GCC visibility pop
