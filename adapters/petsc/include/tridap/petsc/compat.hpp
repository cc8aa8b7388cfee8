#pragma once

#include <tridap/buffer.hpp>

#include <dlfcn.h>
#include <petscvec.h>

#include <optional>

#if PETSC_VERSION_LT(3, 19, 0)
extern "C" __attribute__((weak)) PetscMPIInt Petsc_OuterComm_keyval;  // of PETSc, which declares it in no public header
#endif

/// The differences between versions of PETSc.
namespace tridap::petsc::compat {

/// What makes a Vec over memory of a device; null: this PETSc has no such Vecs. PETSc has those of one kind of devices.
using CreateOnDevice = PetscErrorCode (*)(MPI_Comm, PetscInt, PetscInt, PetscInt, const PetscScalar*, Vec*);
/// The one for memory of a kind. The headers of a PETSc without CUDA declare it, or have a function in its place that
/// fails: so its library is asked.
inline CreateOnDevice create_on_device(Memory::Kind kind) {
  const auto found = [](const char* name) { return reinterpret_cast<CreateOnDevice>(::dlsym(RTLD_DEFAULT, name)); };
  if (kind == Memory::Kind::cuda || kind == Memory::Kind::cuda_managed) {
#if defined(PETSC_HAVE_CUDA)
    return VecCreateMPICUDAWithArray;
#else
    static const CreateOnDevice cuda = found("VecCreateMPICUDAWithArray");
    return cuda;
#endif
  }
  if (kind == Memory::Kind::hip || kind == Memory::Kind::hip_managed) {
#if defined(PETSC_HAVE_HIP)
    return VecCreateMPIHIPWithArray;
#else
    static const CreateOnDevice hip = found("VecCreateMPIHIPWithArray");
    return hip;
#endif
  }
  return nullptr;
}
inline CreateOnDevice create_on_device() {
  const CreateOnDevice cuda = create_on_device(Memory::Kind::cuda);
  return cuda != nullptr ? cuda : create_on_device(Memory::Kind::hip);
}

/// Whether PETSc, after the functions of PetscRegisterFinalize, still prints its log on PETSC_COMM_WORLD.
inline constexpr bool prints_after_finalizers = PETSC_VERSION_GE(3, 20, 0);

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

/// The communicator that the user gave when an object was made, which PETSc keeps as an attribute of its own one;
/// absent if it does not say so: from 3.19 on only PETSc knows the attribute's key. Local.
inline std::optional<MPI_Comm> users_comm([[maybe_unused]] PetscObject object) {
#if PETSC_VERSION_LT(3, 19, 0)
  union {
    MPI_Comm comm;
    void* attribute;
  } users{};
  int found = 0;
  if (&Petsc_OuterComm_keyval != nullptr && Petsc_OuterComm_keyval != MPI_KEYVAL_INVALID &&
      MPI_Comm_get_attr(PetscObjectComm(object), Petsc_OuterComm_keyval, &users.attribute, &found) == MPI_SUCCESS &&
      found != 0)
    return users.comm;
#endif
  return {};
}

}  // namespace tridap::petsc::compat
