#pragma once

#include <tridap/buffer.hpp>
#include <tridap/redistribute/plan.hpp>

#include <mpi.h>

#include <memory>

namespace tridap::globalarrays {

/// A Global Array that was made here; its copies, and the arrays that are exported from it, share in it. When the last
/// of them is let go of on a process, which is local, it goes back to a pool; the pool frees it, by GA_Destroy, when
/// all processes have let go of it and come together in collect(), create(), destroy() or the end of the Session.
class GlobalArray {
 public:
  GlobalArray() = default;

  /// GA's handle, for its own calls; GA_Destroy is not for it. Throws Error where this is empty, or GA has ended.
  int handle() const;
  bool empty() const { return state_ == nullptr; }
  /// Who owns what: a rank is one in communicator(). As it was created, padding (ghost cells) included.
  const redistribute::PlacedDistribution& placed() const;
  const ElementType& type() const;

 private:
  friend class HandlePool;
  struct State;
  std::shared_ptr<State> state_;
};

/// Gives an array of somebody else's making to the pool, in place of GA_Destroy. **Collective** over `comm`, the
/// array's processes. It is freed at once where no process holds an export of it (true), else as soon as none does
/// (false). Throws Error on every process where the handle is none on any, is on other processes, or belongs to a
/// GlobalArray.
bool destroy(int handle, MPI_Comm comm);

/// How many arrays this process holds: those of the pool, and exports of others' ones.
Index held();

}  // namespace tridap::globalarrays
