#include "comm.hpp"

#include "memory.hpp"
#include <tridap/internal/call.hpp>

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>

namespace tridap::python {

namespace {

// Throws ImportError if mpi4py was not built with the same MPI as this module, or with another ABI of it: one
// installation may have its own ABI and MPI 5's, whose handles differ.
void check_mpi() {
  static bool checked = false;
  if (checked) return;
  char ours[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  mpi::must_succeed(MPI_Get_library_version(ours, &length), "MPI_Get_library_version");
  // A NUL may be in the length.
  const std::string library = std::string(ours, static_cast<std::size_t>(length)).c_str();
  const py::module_ mpi4py = py::module_::import("mpi4py.MPI");
  const std::string theirs = py::cast<std::string>(mpi4py.attr("Get_library_version")()).c_str();
  if (theirs != library)
    throw py::import_error("tridap was built with " + library + ", but mpi4py with " + theirs +
                           ": build both with one MPI");
  const py::object world = mpi4py.attr("COMM_WORLD");
  const auto address = py::cast<std::uintptr_t>(mpi4py.attr("_addressof")(world));
  if (py::cast<std::size_t>(mpi4py.attr("_sizeof")(world)) != sizeof(MPI_Comm) ||
      *reinterpret_cast<const MPI_Comm*>(address) != MPI_COMM_WORLD)
    throw py::import_error("tridap and mpi4py were built with " + library +
                           ", but with two ABIs of it, such as libmpi and libmpi_abi: build both with one compiler "
                           "command, such as mpicxx and mpicc, or mpicxx_abi and mpicc_abi");
  checked = true;
}

}  // namespace

void need_mpi() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized == 0) throw std::runtime_error("MPI is not initialized: call mpi4py.MPI.Init() first");
  if (finalized != 0) throw std::runtime_error("MPI is finalized: nothing communicates any more");
}

namespace {

// The handle inside of an mpi4py communicator, MPI_COMM_NULL too.
MPI_Comm handle_in(py::handle comm) {
  static py::handle type, address_of;
  check_mpi();
  if (!py::isinstance(comm, imported(type, "mpi4py.MPI", "Comm")))
    throw py::type_error("comm is of type " + std::string(Py_TYPE(comm.ptr())->tp_name) +
                         ", must be an mpi4py communicator");
  return *reinterpret_cast<MPI_Comm*>(py::cast<std::uintptr_t>(imported(address_of, "mpi4py.MPI", "_addressof")(comm)));
}

}  // namespace

MPI_Comm comm_of(py::handle comm) {
  const MPI_Comm handle = handle_in(comm);
  if (handle == MPI_COMM_NULL)
    throw py::value_error("comm is MPI.COMM_NULL: it was freed, or this process is none of it");
  need_mpi();
  int intercommunicator = 0;
  mpi::must_succeed(MPI_Comm_test_inter(handle, &intercommunicator), "MPI_Comm_test_inter");
  if (intercommunicator != 0)
    throw py::value_error("comm is an intercommunicator: pass comm.Merge(), a communicator of both groups");
  return handle;
}

namespace {

// An mpi4py communicator over a duplicate, which it keeps.
py::object lasting(const std::shared_ptr<mpi::Duplicates>& duplicates) {
  using Owner = std::shared_ptr<mpi::Duplicates>;
  static py::handle intracomm;
  imported(intracomm, "mpi4py.MPI", "Intracomm");
  static const py::handle type = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(&PyType_Type))(
                                     "Intracomm", py::make_tuple(intracomm), py::dict())
                                     .release();
  py::object made = type(intracomm.attr("f2py")(static_cast<long long>(MPI_Comm_c2f(duplicates->ours()))));
  made.attr("_owner") = py::capsule(new Owner(duplicates), [](void* owner) { delete static_cast<Owner*>(owner); });
  return made;
}

}  // namespace

HeldComm::HeldComm(py::object comm) : given_(std::move(comm)) {
  if (given_.is_none() || mpi::mpi_is_over() || handle_in(given_) == MPI_COMM_NULL) return;
  duplicates_ = mpi::duplicates_of(comm_of(given_));
  if (duplicates_->caller() == MPI_COMM_NULL) lasting_ = given_;
}

const py::object& HeldComm::object() const {
  static py::handle null;
  if (!duplicates_ || duplicates_->caller() != MPI_COMM_NULL || mpi::mpi_is_over()) return given_;
  if (lasting_.is_none())
    lasting_ = duplicates_->is_made() ? lasting(duplicates_)
                                      : py::reinterpret_borrow<py::object>(imported(null, "mpi4py.MPI", "COMM_NULL"));
  return lasting_;
}

int HeldComm::traverse(visitproc visit, void* arg) const {
  Py_VISIT(given_.ptr());
  Py_VISIT(lasting_.ptr());
  return 0;
}

std::shared_ptr<std::mutex> lock_of(MPI_Comm comm) {
  static std::map<const void*, std::weak_ptr<std::mutex>> all;  // guarded by the GIL
  std::weak_ptr<std::mutex>& kept = all[mpi::duplicates_of(comm).get()];
  std::shared_ptr<std::mutex> lock = kept.lock();
  if (!lock) kept = lock = std::make_shared<std::mutex>();
  return lock;
}

}  // namespace tridap::python
