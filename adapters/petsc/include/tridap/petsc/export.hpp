#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>
#include <tridap/receipt.hpp>

#include <petscdmda.h>
#include <petscvec.h>

#include <array>

namespace tridap::petsc {

struct ExportOptions {
  /// The array's buffer is read-only: VecGetArrayRead in place of VecGetArray.
  bool read_only = false;
};

/// An array over a Vec's memory.
struct ExportedArray {
  DistArray array;
  Receipt receipt;  ///< its `seconds` are 0: reading a clock would take as long as the export
  /// By axis: the array's global index minus PETSc's, which begins at the first grid point; 0 beyond the array's axes.
  std::array<Index, 4> shift{};
};

/// This process's part of a Vec, in the Vec's own memory: one axis in blocks, `[rstart, rend)` of VecGetOwnershipRange.
/// Local; the time does not depend on the length of the Vec. The processes of the array are those of the Vec's
/// communicator, in their order.
///
/// The Vec's access is open as long as the array's buffer has owners: the export calls VecGetArray, and the release of
/// the last owner calls VecRestoreArray. As with VecGetArray, PETSc may keep norms of the Vec, and it forgets them when
/// the access is closed. So close it on every process before a call of PETSc that is to see new values, or call
/// VecGetArray and VecRestoreArray for the Vec on every process.
///
/// The buffer keeps the memory alive, also after VecDestroy. The release of the last owner is local, on any thread; see
/// collect(). VecPlaceArray, VecResetArray and VecReplaceArray change the memory of the Vec, so that the buffer must
/// not be used after them.
///
/// Throws Error if PETSc is not initialised, if `vec` is null or has no layout, or if its memory is not one array: the
/// types seq, mpi and shared have such memory on the host, and cuda, hip and kokkos where VecGetArrayAndMemType gives
/// it.
ExportedArray export_array(Vec vec, const ExportOptions& options = {});

/// This process's part of a Vec of a DMDA, with the DMDA's axes: (z, y, x), (y, x) or (x), and at the end an axis of
/// the degrees of freedom if there are several. It is distributed in blocks over PETSc's process grid (p, n, m), which
/// is row-major. Lifetime, errors and costs are those of the export of a Vec. Local.
///
/// - A global Vec (DMCreateGlobalVector) has no padding.
/// - A local Vec (DMCreateLocalVector) has the ghost points as padding: communication padding between processes; at the
///   outer edges none (DM_BOUNDARY_NONE), boundary padding (DM_BOUNDARY_GHOSTED), or the mirrors of a periodic axis
///   (DM_BOUNDARY_PERIODIC). Ghost points at the outer edges count in `size`; `shift` is their number.
///
/// Example: 5 points on 2 processes, stencil width 1. With DM_BOUNDARY_NONE the local Vecs are the blocks [0, 4) with
/// padding (0, 1) and [2, 5) with (1, 0). With DM_BOUNDARY_PERIODIC `size` is 7, the blocks are [0, 5) and [3, 7), both
/// with padding (1, 1), and `shift` is 1.
///
/// Throws Error if `dm` is not a DMDA that is set up, if the length of `vec` is neither that of its global nor that of
/// its local Vecs, or if a boundary is DM_BOUNDARY_MIRROR or DM_BOUNDARY_TWIST, which the protocol cannot describe.
ExportedArray export_array(DM dm, Vec vec, const ExportOptions& options = {});

/// Which process owns which elements of a Vec; process r is rank r of its communicator. Local: PETSc knows it. The time
/// is proportional to the number of processes. Throws Error as export_array().
Distribution distribution_of(Vec vec);
/// The same for a Vec of a DMDA; process r is rank r of the DMDA's communicator.
Distribution distribution_of(DM dm, Vec vec);

/// Destroys the Vecs and Mats which the user has destroyed, but which an export kept. Returns how many. **Collective**
/// over PETSC_COMM_WORLD. import_array() of all of its processes, and PetscFinalize, do the same.
///
/// An export holds a reference to its Vec. If the user holds another one, the release only counts down. If not, it
/// would have to call VecDestroy, which is collective: it leaves this to collect().
///
/// PETSc frees its duplicate of a communicator with the last object that a process has on it, and makes it again in the
/// next call that needs it, on all processes together. So if processes hold their exports for different times, keep
/// another object on the communicator. The functions of TriDAP that make an object on your communicator keep PETSc's
/// duplicate themselves, until you free the communicator and call one of them or collect(), or PETSc ends. The exports,
/// export_operator() of a Mat of yours, and import_array() of a DM do not.
Index collect();

/// How many exports this process holds, and how many objects of PETSc wait for collect().
struct Held {
  Index exports = 0, waiting = 0;
};
Held held();

}  // namespace tridap::petsc
