#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/receipt.hpp>

#include <mpi.h>
#include <petscao.h>
#include <petscdmda.h>
#include <petscvec.h>

namespace tridap::petsc {

/// A Vec over an array's memory, and what the import did. The caller destroys it with VecDestroy.
struct ImportedVec {
  Vec vec = nullptr;
  Receipt receipt;
};

/// A Vec over the memory of any array that is dense on each process: contiguous in some order, without padding. The Vec
/// keeps the memory alive, also after VecDestroy if PETSc still uses it; Vecs that VecDuplicate makes of it keep it,
/// too.
///
/// PETSc keeps the norms of a Vec until it knows that elements have changed. After something else than PETSc has
/// written to the array, call VecGetArray and VecRestoreArray for the Vec on every process.
///
/// PETSc numbers the elements process after process, and on a process in memory order. For one axis in blocks these are
/// the array's own numbers. For other arrays the receipt names the difference, and make_ordering() converts.
///
/// **Collective** over `comm`, whose rank `r` holds process `r` of the array's grid. Throws the same Error on every
/// process if any process's array is wrong, if its elements are not PetscScalar as PETSc was built, if an element is on
/// several processes, if there are more elements than a PetscInt can count, if the memory is read-only, is that of a
/// device without such a PETSc, or is not dense. With Copy::if_needed, read-only memory and memory that is not dense
/// are copied, each process's part locally, without the padding.
///
/// With a PETSc that has CUDA or HIP, memory of a device becomes a Vec of type mpicuda or mpihip, if that of all
/// processes is there. PETSc works on the default stream.
ImportedVec import_array(const DistArray& array, MPI_Comm comm, Copy copy = Copy::never);

/// A Vec of a DMDA over the memory of an array that has exactly the DMDA's ownership: its axes, blocks and padding are
/// those of export_array(dm, vec). An array without padding becomes a global Vec, an array with the DMDA's ghost points
/// a local Vec; if the DMDA has no ghost points, a global Vec. The memory must be row-major. **Collective** over the
/// communicator of `dm`; the errors and the lifetime are those of import_array().
ImportedVec import_array(DM dm, const DistArray& array);

/// Puts an array's memory in the place of a Vec's own memory until reset_array(), as VecPlaceArray does: a Vec can be
/// used for one array after the other. The Vec keeps the memory alive. The conditions on the array are those of
/// import_array(), and each process's part must be as long as that of the Vec. **Collective** over the Vec's
/// communicator: throws the same Error on every process or on none, also if an array is already placed.
Receipt place_array(Vec vec, const DistArray& array);
/// Gives a Vec its own memory back, and releases that of the array. Local, as VecResetArray, but every process must
/// call it. Throws Error if no array is placed.
void reset_array(Vec vec);

/// The application ordering between an array's row-major flat numbers (AO's application numbers) and PETSc's numbers of
/// a Vec that import_array() makes of it. An unstructured axis is numbered by position among its sorted indices, and a
/// periodic one without its mirrors. The caller destroys it with AODestroy. `copy` is that of import_array().
/// **Collective** over `comm`; throws as import_array().
///
/// Example: 2 x 2 elements over 2 processes, a column on each. PETSc's numbers are 0 and 1 on the first process, and
/// the flat numbers of these elements are 0 and 2. So AOApplicationToPetsc takes 2 to 1.
AO make_ordering(const DistArray& array, MPI_Comm comm, Copy copy = Copy::never);

}  // namespace tridap::petsc
