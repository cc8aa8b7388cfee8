#pragma once

#include <tridap/buffer.hpp>
#include <tridap/redistribute/plan.hpp>

#include <mpi.h>

#include <memory>

namespace tridap::globalarrays {

/// Shared ownership of a Global Array that this library made. Its copies, and the arrays that are exported from it,
/// share the ownership. Destroying the last of them on a process is local and returns the array to a pool. The pool
/// frees it with GA_Destroy when all processes have returned it and call collect(), create(), destroy() or end the
/// Session.
class GlobalArray {
 public:
  GlobalArray() = default;

  /// GA's handle, for calls of GA; do not call GA_Destroy for it. Throws Error if this is empty, or GA is terminated.
  int handle() const;
  bool empty() const { return state_ == nullptr; }
  /// The ownership with which it was created, padding (ghost cells) included; ranks are those of communicator().
  const redistribute::PlacedDistribution& placed() const;
  const ElementType& type() const;

 private:
  friend class HandlePool;
  struct State;
  std::shared_ptr<State> state_;
};

/// Destroys an array that was not made with create(); use it instead of GA_Destroy. If no process holds an export of
/// the array, it is freed at once (true); else the pool frees it later, when no process holds one (false).
/// **Collective** over `comm`, the array's processes. Throws Error on every process if the handle is invalid on any
/// process, the array is on other processes, or it belongs to a GlobalArray.
bool destroy(int handle, MPI_Comm comm);

/// How many arrays this process holds: those of the pool, and arrays of other libraries that it has exported.
Index held();

}  // namespace tridap::globalarrays
