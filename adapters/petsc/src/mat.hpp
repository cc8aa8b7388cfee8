#pragma once

#include <tridap/sparse/sparse_rows.hpp>

#include <petscmat.h>

#pragma GCC visibility push(hidden)

namespace tridap::petsc {

/// Throws Error if PETSc is not initialised, or if `mat` is null or has no type. Local.
void need_mat(Mat mat);

/// The first row (or column) of each process of a Mat that is set up, and their number. Local.
Bounds row_bounds(Mat mat);
Bounds column_bounds(Mat mat);

/// Throws Error if a PetscInt cannot count the rows and columns. Local.
void need_petsc_int(const Bounds& rows, const Bounds& columns);

}  // namespace tridap::petsc

#pragma GCC visibility pop
