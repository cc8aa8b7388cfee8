#pragma once

#include <petscao.h>
#include <petscdm.h>
#include <petscmat.h>
#include <petscvec.h>
#include <pybind11/pybind11.h>

namespace tridap::python {

namespace py = pybind11;

/// The Vec, DM or Mat inside of an object of petsc4py. Throws TypeError for any other object, and ImportError if
/// petsc4py uses another PETSc than this module.
Vec vec_of(py::handle object);
DM dm_of(py::handle object);
Mat mat_of(py::handle object);

/// An object of petsc4py, which takes over the caller's reference.
py::object object_of(Vec vec);
py::object object_of(DM dm);
py::object object_of(AO ordering);
py::object object_of(Mat mat);

}  // namespace tridap::python
