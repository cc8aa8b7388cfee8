#include "comm.hpp"

#include "memory.hpp"
#include <tridap/internal/call.hpp>

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>

namespace tridap::python {

namespace {

// Throws ImportError if mpi4py was not built with the same MPI as this module.
void check_mpi() {
  static bool checked = false;
  if (checked) return;
  char ours[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  mpi::must_succeed(MPI_Get_library_version(ours, &length), "MPI_Get_library_version");
  const std::string library(ours, static_cast<std::size_t>(length));
  const auto theirs = py::cast<std::string>(py::module_::import("mpi4py.MPI").attr("Get_library_version")());
  if (theirs.substr(0, theirs.find('\0')) != library.substr(0, library.find('\0')))
    throw py::import_error("tridap was built with " + library + ", but mpi4py with " + theirs +
                           ": build both with one MPI");
  checked = true;
}

}  // namespace

void need_mpi() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized == 0) throw std::runtime_error("MPI is not initialized: call mpi4py's MPI.Init() first");
  if (finalized != 0) throw std::runtime_error("MPI is finalized: nothing communicates any more");
}

MPI_Comm comm_of(py::handle comm) {
  static py::handle type, address_of;
  check_mpi();
  if (!py::isinstance(comm, imported(type, "mpi4py.MPI", "Comm")))
    throw py::type_error("comm is of type " + std::string(Py_TYPE(comm.ptr())->tp_name) +
                         ", must be an mpi4py communicator");
  const MPI_Comm handle =
      *reinterpret_cast<MPI_Comm*>(py::cast<std::uintptr_t>(imported(address_of, "mpi4py.MPI", "_addressof")(comm)));
  if (handle == MPI_COMM_NULL)
    throw py::value_error("comm is MPI.COMM_NULL: it was freed, or this process is none of it");
  need_mpi();
  int intercommunicator = 0;
  mpi::must_succeed(MPI_Comm_test_inter(handle, &intercommunicator), "MPI_Comm_test_inter");
  if (intercommunicator != 0) throw py::value_error("comm is an intercommunicator: merge it first");
  return handle;
}

std::shared_ptr<std::mutex> lock_of(MPI_Comm comm) {
  static std::map<MPI_Comm, std::weak_ptr<std::mutex>> all;  // guarded by the GIL
  std::weak_ptr<std::mutex>& kept = all[comm];
  std::shared_ptr<std::mutex> lock = kept.lock();
  if (!lock) kept = lock = std::make_shared<std::mutex>();
  return lock;
}

}  // namespace tridap::python
