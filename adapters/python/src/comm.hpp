#pragma once

#include <mpi.h>
#include <pybind11/pybind11.h>

namespace tridap::python {

namespace py = pybind11;

/// Throws RuntimeError outside of MPI's time, where its functions would end the process.
void need_mpi();

/// The handle inside of an mpi4py communicator. Throws TypeError for what is none, ValueError for MPI.COMM_NULL,
/// ImportError where mpi4py was built with another MPI than this module, and RuntimeError outside of MPI's time.
MPI_Comm comm_of(py::handle comm);

}  // namespace tridap::python
