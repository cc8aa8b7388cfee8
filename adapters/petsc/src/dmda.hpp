#pragma once

#include <tridap/distribution.hpp>

#include <petscdmda.h>

#include <array>
#include <cstddef>

#pragma GCC visibility push(hidden)

namespace tridap::petsc {

/// One axis of a DMDA on this process. Indices are PETSc's: the first grid point is 0.
struct DmdaAxis {
  Index size = 0;                        ///< grid points
  Index processes = 1, coordinate = 0;   ///< on this axis
  Index begin = 0, end = 0;              ///< owned
  Index ghost_begin = 0, ghost_end = 0;  ///< with ghost points; below 0 or beyond `size` at an outer edge
  DMBoundaryType boundary = DM_BOUNDARY_NONE;
};

/// A DMDA in the order of an array's axes: z, y, x. Local.
struct Dmda {
  std::size_t ndim = 0;  ///< 1 to 3, without the axis of the degrees of freedom
  std::array<DmdaAxis, 3> axes;
  Index dof = 1, width = 0;
  DMDAStencilType stencil = DMDA_STENCIL_BOX;

  Index owned() const;    ///< elements of this process in a global Vec
  Index ghosted() const;  ///< elements of a local Vec
};

/// Throws Error if `dm` is not a DMDA that is set up, or if the protocol cannot describe its boundaries.
Dmda describe(DM dm);

/// Whether PETSc fills all ghost points of a local Vec that have a value in the grid. The DMDA has ghost points.
bool fills_corners(const Dmda& grid);

/// The array's global index minus PETSc's.
Index shift_of(const DmdaAxis& axis, Index width, bool ghosts);

/// The dimension dictionary of an axis of a global Vec, or of a local one (`ghosts`).
Dimension dimension_of(const DmdaAxis& axis, Index width, bool ghosts);

/// Those of all axes, with that of the degrees of freedom if there are several.
DimData dim_data_of(const Dmda& grid, bool ghosts);

/// The axes of all processes.
Distribution distribution_of(DM dm, const Dmda& grid, bool ghosts);

}  // namespace tridap::petsc

#pragma GCC visibility pop
