#pragma once

#include <petscsys.h>

/// The differences between versions of PETSc.
namespace tridap::petsc::compat {

/// Lets a container destroy its pointer by `Destroy` when it is destroyed itself.
template <void (*Destroy)(void*)>
PetscErrorCode set_destroy(PetscContainer container) {
#if PETSC_VERSION_GE(3, 23, 0)
  return PetscContainerSetCtxDestroy(container, [](auto held) -> PetscErrorCode {  // its address
    Destroy(*static_cast<void**>(static_cast<void*>(held)));
    return PETSC_SUCCESS;
  });
#else
  return PetscContainerSetUserDestroy(container, [](void* held) -> PetscErrorCode {
    Destroy(held);
    return 0;
  });
#endif
}

}  // namespace tridap::petsc::compat
