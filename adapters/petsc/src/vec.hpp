#pragma once

#include <tridap/buffer.hpp>
#include <tridap/dimension.hpp>

#include <petscvec.h>

#include <optional>

#pragma GCC visibility push(hidden)

namespace tridap::petsc {

/// The element type of all Vecs.
inline ElementType scalar_type() { return element_type<PetscScalar>(); }

/// Throws Error if PETSc is not initialised, or if the memory of `vec` is not one array in host memory. Local.
void need_plain(Vec vec);

/// The same, but the memory may be that of a device. Returns whether PETSc has it on one. Local.
bool need_one_array(Vec vec);

/// The elements of this process. Local.
Index local_size(Vec vec);
/// The dimensions of a Vec of blocks of so many elements: one axis in blocks, and one for the elements of each block if
/// there are several. Local.
DimData dim_data_of(Vec vec, PetscInt block = 1);
/// The elements of this process and its ghosts, if the Vec was made with ghosts (VecCreateGhost). Local.
std::optional<Index> size_with_ghosts(Vec vec);

}  // namespace tridap::petsc

#pragma GCC visibility pop
