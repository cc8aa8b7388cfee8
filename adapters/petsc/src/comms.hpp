#pragma once

#include <mpi.h>
#include <petscsys.h>

#pragma GCC visibility push(hidden)

namespace tridap::petsc {

/// The communicator on which a call for an object begins, the same as that of calls with the user's communicator: this
/// one, where PETSc or keep_users_comm() has kept it, else PETSc's own. Local.
MPI_Comm users_comm(PetscObject object);

/// Keeps the user's communicator for users_comm(), of all objects on it. Also keeps PETSc's own communicator there:
/// PETSc frees it with the last object of a process, and makes it again together, but the processes release our arrays
/// at different times. Calls give_back_comms(users), too. Every process of `users` calls it for an object that they
/// have made together. It does not communicate, unless PETSc was built for debugging.
void keep_users_comm(PetscObject object, MPI_Comm users);

/// Gives back PETSc's communicators whose users have freed theirs, if all their processes are those of `comm`, or if
/// `comm` has all processes of PETSC_COMM_WORLD. Every process of `comm` calls it.
void give_back_comms(MPI_Comm comm);
/// Gives back all of them when PETSc ends.
void give_back_all_comms();

}  // namespace tridap::petsc

#pragma GCC visibility pop
