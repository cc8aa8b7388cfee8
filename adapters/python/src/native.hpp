#pragma once

#include "gil.hpp"
#include <tridap/internal/collective_call.hpp>

#include <mpi.h>

#include <memory>

namespace tridap::python {

/// While one exists, this thread is inside of Trilinos on all processes of the communicator, and no other thread is.
/// The GIL is released, so other threads of Python run. A thread that is already inside may enter again, as a callback
/// does.
/// **Collective**: see mpi::Call.
class Native {
 public:
  static constexpr const char* fallback = "a function of tridap";  ///< the name of a call outside of a UserCall

  explicit Native(MPI_Comm comm) : call_(comm, fallback, mpi::Library::trilinos) {}

 private:
  WithoutPython python_;
  mpi::Call call_;
};

/// Releases an object that only the thread inside of Trilinos may release, because RCPs count without locks. It is
/// released now, or when the thread that is inside leaves. After MPI is finalized, it is never released.
inline void release_inside(std::shared_ptr<void> owned) {
  mpi::release_inside(mpi::Library::trilinos, std::move(owned));
}

/// Objects of Tpetra that must not exist when MPI ends, because they need it.
class EndsWithMpi {
 public:
  virtual ~EndsWithMpi() = default;
  virtual void let_go() = 0;  ///< called inside of Trilinos, before MPI is finalized
};

/// Calls `let_go` at the beginning of MPI_Finalize if the object exists then, unless a thread is inside of Trilinos.
/// MPI must be initialised. Local.
void end_with_mpi(const std::shared_ptr<EndsWithMpi>& object);

/// Initialises Kokkos unless it is initialised. It is never finalised: arrays may outlive the interpreter's end.
void need_kokkos();

}  // namespace tridap::python
