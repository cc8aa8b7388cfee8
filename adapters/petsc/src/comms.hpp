#pragma once

#include <mpi.h>
#include <petscsys.h>

#pragma GCC visibility push(hidden)

namespace tridap::petsc {

/// The communicator on which a call for an object begins, the same as that of calls with the user's communicator: this
/// one, where PETSc or keep_users_comm() has kept it, else PETSc's own. Local.
MPI_Comm users_comm(PetscObject object);

/// Keeps the user's communicator for users_comm(), of all objects on it. Also keeps PETSc's own communicator alive,
/// since each process frees it with the last object that the process has on it, while PETSc makes it again on all
/// processes together, and processes release our arrays at different times. Calls give_back_comms(users), too. Every
/// process of `users` calls it for an object that they have made together. It does not communicate, unless PETSc was
/// built for debugging.
void keep_users_comm(PetscObject object, MPI_Comm users);

/// After users have freed their communicators, gives up our references to PETSc's own ones there. Does so for those
/// with the processes of `comm`, and for all if `comm` has all processes of PETSC_COMM_WORLD. Every process of `comm`
/// calls this function.
void give_back_comms(MPI_Comm comm);
/// Gives up all our references to communicators of PETSc. For the end of PETSc.
void give_back_all_comms();

}  // namespace tridap::petsc

#pragma GCC visibility pop
