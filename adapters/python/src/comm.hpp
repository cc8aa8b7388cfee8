#pragma once

#include <tridap/internal/duplicates.hpp>

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

/// The communicator of an object of ours, which goes on communicating after the caller has freed it. Nothing here
/// communicates.
class HeldComm {
 public:
  /// `comm` is an mpi4py communicator, or None.
  explicit HeldComm(py::object comm);

  /// The caller's own object as long as its communicator exists, then a communicator over our duplicate; MPI.COMM_NULL
  /// if it was freed before the first call that communicates on it.
  const py::object& object() const;
  bool is_none() const { return given_.is_none(); }
  MPI_Comm handle() const { return comm_of(object()); }

  /// For Python's garbage collector.
  int traverse(visitproc visit, void* arg) const;
  void clear() { given_ = lasting_ = py::none(); }

 private:
  py::object given_;
  mutable py::object lasting_ = py::none();
  std::shared_ptr<mpi::Duplicates> duplicates_;
};

/// The lock with which one thread at a time moves arrays on a communicator. A thread must wait for it without the GIL.
/// Call this function with the GIL.
std::shared_ptr<std::mutex> lock_of(MPI_Comm comm);

}  // namespace tridap::python
