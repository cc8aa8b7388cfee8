#include "lasting_memory.hpp"

#include "call.hpp"

namespace tridap::petsc {

namespace {

PetscErrorCode release(void* owner) {
  delete static_cast<std::shared_ptr<void>*>(owner);
  return 0;
}

}  // namespace

void keep_memory(Vec vec, const char* name, const std::shared_ptr<void>& owner) {
  PetscContainer container = nullptr;
  if (owner != nullptr) {
    auto kept = std::make_unique<std::shared_ptr<void>>(owner);
    call("PetscContainerCreate", [&] { return PetscContainerCreate(PETSC_COMM_SELF, &container); });
    call("PetscContainerSetPointer", [&] { return PetscContainerSetPointer(container, kept.get()); });
    call("PetscContainerSetUserDestroy", [&] { return PetscContainerSetUserDestroy(container, release); });
    kept.release();
  }
  call("PetscObjectCompose", [&] {
    return PetscObjectCompose(reinterpret_cast<PetscObject>(vec), name, reinterpret_cast<PetscObject>(container));
  });
  call("PetscContainerDestroy", [&] { return PetscContainerDestroy(&container); });
}

}  // namespace tridap::petsc
