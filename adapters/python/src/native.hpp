#pragma once

#include "gil.hpp"

#include <functional>
#include <memory>

namespace tridap::python {

/// While one lives, this thread is the one that may be inside of Trilinos, and other threads of Python run: the GIL is
/// released. A thread that is inside already may enter again, as a callback does.
class Native {
 public:
  Native();
  ~Native();
  Native(const Native&) = delete;
  Native& operator=(const Native&) = delete;

 private:
  WithoutPython python_;
};

/// Lets go of what only the thread inside of Trilinos may let go of (RCPs count without locks): now, or when the thread
/// that is inside leaves; never once MPI is finalized.
void release_inside(std::shared_ptr<void> owned);

/// Initialises Kokkos unless it is initialised. It is never finalised: arrays may outlive the interpreter's end.
void need_kokkos();

}  // namespace tridap::python
