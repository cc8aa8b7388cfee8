#pragma once

#include <mpi.h>
#include <petscsys.h>

#pragma GCC visibility push(hidden)

namespace tridap::petsc {

/// The communicator on which a call for an object begins, the same as that of calls with the user's communicator: this
/// one, where PETSc or keep_users_comm() has kept it, else PETSc's own. Local.
MPI_Comm users_comm(PetscObject object);

/// Keeps the user's communicator for users_comm(), of all objects on it. Also keeps PETSc's own communicator there
/// until the user's one is freed: PETSc frees its own with the last object of a process, and makes it again together,
/// but the processes release our arrays at different times. Local; every process calls it for an object that they have
/// made together.
void keep_users_comm(PetscObject object, MPI_Comm users);

/// Gives back PETSc's communicators that keep_users_comm() keeps: those whose users have freed theirs, or all. Local,
/// but PETSc frees one that has no object, so that every process calls it.
enum class Which { of_freed, all };
void give_back_comms(Which which);

}  // namespace tridap::petsc

#pragma GCC visibility pop
