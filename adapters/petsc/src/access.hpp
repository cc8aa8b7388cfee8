#pragma once

#include <tridap/buffer.hpp>
#include <tridap/petsc/export.hpp>

#include <mpi.h>

#include <memory>

#pragma GCC visibility push(hidden)

namespace tridap::petsc {

/// Ends the use of an object's memory.
using Restore = PetscErrorCode(PetscObject object, void* data);

/// Holds a reference to an object of PETSc. The release of the last copy of the result calls `restore(object, data)`,
/// unless it is null, and gives the reference up: at once on this thread; if another thread releases it, at the next
/// call of this function, collect() or held(). Local.
std::shared_ptr<void> hold(PetscObject object, Restore* restore = nullptr, void* data = nullptr);

/// Opens the access to a Vec's memory, which hold() closes. Writes the address of the memory to `data`. Local.
std::shared_ptr<void> open_access(Vec vec, bool read_only, void*& data);

/// Opens the access to a Vec's memory where PETSc has its newest elements, on a device or the host, which hold()
/// closes. Sets the buffer's address, memory and owner. Local.
void open_access_anywhere(Vec vec, bool read_only, Buffer& buffer);

/// Lets PETSc tell us when it ends, to give up what we hold of it. Local.
void call_at_end();

/// Destroys this process's objects of PETSc that wait for it. The processes that hold them must all call it. Returns
/// how many.
Index destroy_waiting();
/// The same if `comm` has all processes of PETSC_COMM_WORLD. For a collective call over `comm`.
void collect_on(MPI_Comm comm);

}  // namespace tridap::petsc

#pragma GCC visibility pop
