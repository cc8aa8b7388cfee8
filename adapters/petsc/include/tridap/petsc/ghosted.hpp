#pragma once

#include <tridap/ghosts/ghosted_array.hpp>
#include <tridap/petsc/import.hpp>

#include <mpi.h>
#include <petscvec.h>

namespace tridap::petsc {

/// A ghosted Vec as a GhostedArray in the Vec's own memory: its owned elements, in blocks, and behind them its ghosts,
/// whose ids are PETSc's global numbers. If VecCreateGhostBlock made the Vec, the array has a second axis, with the
/// components of each block, and an id is the number of a block. The vectors of dolfinx are such Vecs.
///
/// Local; the time is proportional to the number of ghosts. The access to the Vec and its lifetime are as in
/// export_array(). Throws Error if the Vec has no ghosts (VecCreateGhost, VecMPISetGhost), if it is not of type seq,
/// mpi or shared, or if its local-to-global mapping is not the one with which it was made.
///
/// Example: 5 elements over 2 processes, made with the local sizes 3 and 2 and the ghosts {4, 3} and {0}, give the
/// example of GhostedArray. GhostUpdate::update_ghosts() then does what VecGhostUpdateBegin and VecGhostUpdateEnd do
/// with INSERT_VALUES and SCATTER_FORWARD; sum_ghosts() does it with ADD_VALUES and SCATTER_REVERSE.
GhostedArray export_ghosted(Vec vec);

/// A ghosted Vec over the memory of a GhostedArray, whose components are PETSc's block. PETSc numbers the owned
/// elements process after process; the receipt names it if these are not the ids of the array. Lifetime as in
/// import_array().
/// **Collective** over `comm`. Throws the same Error on every process as GhostUpdate does, and if the elements are not
/// PetscScalar, the local buffer is not contiguous and row-major, a component axis is distributed or empty, or the
/// array has more elements than a PetscInt can count.
ImportedVec import_ghosted(const GhostedArray& array, MPI_Comm comm);

}  // namespace tridap::petsc
