#pragma once

#include <tridap/sparse/sparse_rows.hpp>

#include <petscmat.h>

#include <string>

#pragma GCC visibility push(hidden)

namespace tridap::petsc {

/// The name of the type of a Mat. Throws Error if PETSc is not initialised, or if `mat` is null or has no type. Local.
std::string need_mat(Mat mat);

/// The first row (or column) of each process of a Mat that is set up, and their number. Local.
Bounds row_bounds(Mat mat);
Bounds column_bounds(Mat mat);

/// Throws Error if a PetscInt cannot count the rows and columns. Local.
void need_petsc_int(const Bounds& rows, const Bounds& columns);

}  // namespace tridap::petsc

#pragma GCC visibility pop
