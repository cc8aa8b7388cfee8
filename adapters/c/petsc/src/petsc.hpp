#pragma once

#include <tridap/c/objects.hpp>

#include <mpi.h>
#include <petscsys.h>

#include <string>

#pragma GCC visibility push(hidden)

/// What the functions of tridap/tridap.h for PETSc ask of objects of PETSc.
namespace tridap::c {

/// Throws Error unless PETSc is initialised. Local.
inline void need_petsc() {
  PetscBool there = PETSC_FALSE;
  if (PetscInitialized(&there) != 0 || there == PETSC_FALSE)
    refuse("PETSc is not initialised", "must be", "call PetscInitialize first");
}

/// The object of PETSc that an argument is. Throws Error if it is NULL. Local.
template <class Object>
Object petsc_object(void* given, const char* name) {
  need_petsc();
  if (given == nullptr) refuse(std::string(name) + " is NULL", "must be an object of PETSc", "make it first");
  return static_cast<Object>(given);
}

/// Throws Error unless an object has the processes of a communicator in their order. Local.
template <class Object>
void need_processes_of(const Comm& comm, Object object, const char* name) {
  int result = MPI_UNEQUAL;
  const MPI_Comm ours = comm->caller() != MPI_COMM_NULL ? comm->caller() : comm->ours();
  mpi::must_succeed(MPI_Comm_compare(ours, PetscObjectComm(reinterpret_cast<PetscObject>(object)), &result),
                    "MPI_Comm_compare");
  if (result != MPI_IDENT && result != MPI_CONGRUENT)
    refuse(std::string("the communicator has other processes than ") + name,
           "must have the same processes in their order", "pass the communicator with which it was made");
}

}  // namespace tridap::c

#pragma GCC visibility pop
