#pragma once

#include <tridap/distribution.hpp>

#include <mpi.h>
#include <petscdmda.h>

#include <optional>
#include <string>

namespace tridap::petsc {

struct DmdaOptions {
  /// Ghost points on each side. If absent, the width of the distribution's padding, or 1 if it has none.
  std::optional<Index> stencil_width;
  DMDAStencilType stencil = DMDA_STENCIL_BOX;
  /// The last axis, which must not be distributed, has the degrees of freedom of each grid point.
  bool dof = false;
};

/// A DMDA with exactly the ownership of a distribution of 1, 2 or 3 axes in blocks, after DMSetUp. PETSc's x is the
/// last of these axes. A periodic axis becomes DM_BOUNDARY_PERIODIC, an axis with boundary padding DM_BOUNDARY_GHOSTED,
/// any other DM_BOUNDARY_NONE. Options of PETSc's database do not change it. The caller destroys it with DMDestroy.
/// **Collective** over `comm`, with the same arguments on every process; rank `r` holds process `r`. Throws the same
/// Error on every process if PETSc cannot hold the distribution, with the reason and the nearest that it can hold.
DM create_dmda(const Distribution& distribution, MPI_Comm comm, const DmdaOptions& options = {});

/// Why a DMDA cannot hold a distribution; nothing: it can. Local; needs neither MPI nor an initialised PETSc.
std::optional<std::string> refusal(const Distribution& distribution, const DmdaOptions& options = {});

/// The distribution of the same shape and process grid that a DMDA can hold: axes that it cannot hold become blocks of
/// lengths that differ by at most one, and all axes get the same width of padding. `distribution` itself if a DMDA can
/// hold it. Local. Throws Error if there is none.
Distribution nearest(const Distribution& distribution, const DmdaOptions& options = {});

}  // namespace tridap::petsc
