#pragma once

#include <mpi.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>

namespace tridap::python {

namespace py = pybind11;

/// Throws RuntimeError before MPI is initialized and after it is finalized: its functions would end the process then.
void need_mpi();

/// The handle inside of an mpi4py communicator. Throws TypeError if `comm` is not one, ValueError for MPI.COMM_NULL or
/// an intercommunicator, ImportError if mpi4py was built with another MPI than this module, and RuntimeError as
/// need_mpi() does.
MPI_Comm comm_of(py::handle comm);

/// The lock with which one thread at a time moves arrays on a communicator. A thread must wait for it without the GIL.
/// Call this function with the GIL.
std::shared_ptr<std::mutex> lock_of(MPI_Comm comm);

}  // namespace tridap::python
