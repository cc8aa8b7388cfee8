#pragma once

#include <petscsys.h>

/// The differences between versions of PETSc.
namespace tridap::petsc::compat {

/// What PETSc calls to destroy a pointer of ours, a container's or a shell matrix's: it calls Destroy.
template <void (*Destroy)(void*)>
inline constexpr auto destroyer = [](auto given) -> PetscErrorCode {
  void* const held = static_cast<void*>(given);
#if PETSC_VERSION_GE(3, 23, 0)
  Destroy(*static_cast<void**>(held));  // PETSc gives the pointer's address
#else
  Destroy(held);
#endif
  return 0;
};

template <void (*Destroy)(void*)>
PetscErrorCode set_destroyer(PetscContainer container) {
#if PETSC_VERSION_GE(3, 23, 0)
  return PetscContainerSetCtxDestroy(container, destroyer<Destroy>);
#else
  return PetscContainerSetUserDestroy(container, destroyer<Destroy>);
#endif
}

}  // namespace tridap::petsc::compat
