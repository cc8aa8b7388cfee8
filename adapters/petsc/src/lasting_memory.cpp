#include "lasting_memory.hpp"

#include "call.hpp"
#include <tridap/petsc/compat.hpp>

#include <utility>

namespace tridap::petsc {

namespace {

void release(void* owner) { delete static_cast<std::shared_ptr<void>*>(owner); }

}  // namespace

void keep_memory(Vec vec, const char* name, const std::shared_ptr<void>& owner) {
  const auto object = reinterpret_cast<PetscObject>(vec);
  PetscContainer container = nullptr;
  auto kept = std::make_unique<std::shared_ptr<void>>(owner);
  // On the Vec's own communicator: PETSC_COMM_SELF would be duplicated for it each time, if nothing else is on it.
  call("PetscContainerCreate", [&] { return PetscContainerCreate(PetscObjectComm(object), &container); });
  call("PetscContainerSetPointer", [&] { return PetscContainerSetPointer(container, kept.get()); });
  call("PetscContainerSetCtxDestroy", [&] { return compat::set_destroyer<release>(container); });
  kept.release();
  call("PetscObjectCompose",
       [&] { return PetscObjectCompose(object, name, reinterpret_cast<PetscObject>(container)); });
  call("PetscContainerDestroy", [&] { return PetscContainerDestroy(&container); });
}

void throw_without(PetscObject made, mpi::Faults faults, MPI_Comm comm) {
  try {
    mpi::throw_faults(std::move(faults), comm);
  } catch (...) {
    if (made != nullptr) PetscObjectDestroy(&made);
    throw;
  }
}

}  // namespace tridap::petsc
