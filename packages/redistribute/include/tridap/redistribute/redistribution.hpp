#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/redistribute/options.hpp>
#include <tridap/redistribute/plan.hpp>

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

namespace tridap::redistribute {

class Mover;

/// Moves arrays from one distribution to another. It is planned once, and can then move any number of arrays.
///
/// Example, from rows to columns of 4 x 4 doubles over 2 processes: `Redistribution plan(rows, columns, 8, comm);`.
/// `plan(array, other);` fills `other`. `DistArray other = plan(array);` allocates `other`, in memory that all
/// processes of the node can access. That is the fastest way, because each process writes directly into the targets of
/// the others.
///
/// The constructor, the calls that move, start() and wait() are **collective** over the communicator. Unless noted
/// otherwise, they throw the same Error on every process or on none, before any target is written. After the first call
/// for a memory order, a call allocates nothing but the targets that it returns. If a node has too little /// shared
/// memory, moves use messages only (Path::derived_types). Destroying a plan is local. But if a move is in progress, the
/// destructor waits for it.
///
/// Arrays in the memory of devices need TriDAP::device. Then four things differ: a kernel may fail when targets have
/// been written, and all processes throw the same Error then; test() does not see the agreement on that, which ends a
/// move through slots; a new target is on the source's device; and a destructor that ends a move takes part in its
/// agreement, as wait() does.
class Redistribution {
 public:
  /// `element_bytes` is the length of the source's elements. Every process must pass the same arguments. Messages
  /// are sent on a duplicate of `comm`, so that you may free `comm` after this call.
  Redistribution(const PlacedDistribution& source, const PlacedDistribution& target, Index element_bytes, MPI_Comm comm,
                 const Options& options = {});
  Redistribution(Redistribution&&) noexcept;  ///< a moved-from object may only be destroyed or assigned to
  Redistribution& operator=(Redistribution&&) noexcept;
  ~Redistribution();

  /// Fills this process's part of the target from the sources of all processes. The elements of the target must not
  /// share memory with one another or with the source.
  void operator()(const DistArray& source, const DistArray& target, const Scaling& scaling = {});
  /// Allocates and fills the target, in memory that the processes of a node share (see mpi::allocate_shared). The
  /// target's buffer keeps it allocated; releasing it is local. `scaling.beta` must be 0.
  DistArray operator()(const DistArray& source, const Scaling& scaling = {});
  /// Moves several arrays with one round of messages. All sources must have one element type, and so must all targets.
  void operator()(const std::vector<Move>& moves, const Scaling& scaling = {});
  /// Takes part in the moving call of the other processes, on a process that has no arrays to pass because of `why`:
  /// every process throws the same Error. **Collective**, together with any of these calls or start().
  [[noreturn]] void object(mpi::Faults why);

  /// Begins a move. Until wait() returns, the sources may be read but not written, and the targets must not be
  /// accessed. One move at a time can be in progress on a communicator: if there is another, start() ends it first.
  void start(std::vector<Move> moves, const Scaling& scaling = {});
  /// Continues a move as far as possible without waiting; true: wait() would return at once. Transfers through rings
  /// and messages make progress only in this call and in wait(). Elements that are written directly into the memory of
  /// other processes are written by start(). Local. Throws Error, on this process alone, if no move is in progress.
  bool test();
  /// Ends the move. Every process must call it in the same order among its collective calls. Throws Error, on this
  /// process alone, if no move is in progress.
  void wait();

  /// The plan from the target back to the source, with the same options. If elements are converted, it moves elements
  /// of the type that the last move made. **Collective.**
  Redistribution reversed() const;

  const Plan& plan() const;  ///< what this process sends and receives
  /// The text of Plan::explain(). After a move of arrays on devices, it says which way they took. If there is no shared
  /// memory, so that all transfers are messages, it also says why.
  std::string explain() const;

 private:
  friend struct Access;
  struct PlanOrFaults;
  Redistribution(PlanOrFaults made, MPI_Comm comm, const Options& options);

  std::unique_ptr<Mover> mover_;
  bool awaited_ = false;  // start() was called, and wait() was not
};

}  // namespace tridap::redistribute
