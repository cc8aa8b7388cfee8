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

/// petsc4py raises the exception that is set in Python if PETSc returns this code (seen with 3.18 and 3.25).
#if PETSC_VERSION_GE(3, 23, 0)
inline constexpr PetscErrorCode raised_in_python = PETSC_ERR_PYTHON;
#else
inline constexpr PetscErrorCode raised_in_python = -1;
#endif

}  // namespace tridap::petsc::compat
