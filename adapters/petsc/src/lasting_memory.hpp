#pragma once

#include <tridap/mpi/agree.hpp>

#include <mpi.h>
#include <petscvec.h>

#include <memory>
#include <utility>

#pragma GCC visibility push(hidden)

namespace tridap::petsc {

/// The names under which a Vec keeps the memory of arrays: that which it was made over, and that placed in it.
inline constexpr const char* made_over = "tridap_memory";
inline constexpr const char* placed_in = "tridap_placed_memory";

/// Lets a Vec keep memory alive until it is destroyed, or until another owner gets this name. All processes of the Vec
/// must call it; it does not communicate, unless PETSc was built for debugging.
void keep_memory(Vec vec, const char* name, const std::shared_ptr<void>& owner);

/// mpi::throw_faults(), which destroys a new object before it throws. **Collective.**
void throw_without(PetscObject made, mpi::Faults faults, MPI_Comm comm);

/// Runs a step in which PETSc communicates and makes an object. If it throws on any process, the object is destroyed,
/// and the same Error is thrown on all. **Collective.**
template <class Object, class Step>
void make_together(MPI_Comm comm, Object& made, Step&& step) {
  mpi::Faults faults;
  faults.attempt(std::forward<Step>(step));
  throw_without(reinterpret_cast<PetscObject>(made), std::move(faults), comm);
}

}  // namespace tridap::petsc

#pragma GCC visibility pop
