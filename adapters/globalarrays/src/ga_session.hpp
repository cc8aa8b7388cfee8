#pragma once

#include "group.hpp"
#include "handle_pool.hpp"

#include <mpi.h>

#include <list>

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

/// A process's vote on ending GA. The result is the largest value of each member over all processes. Every process
/// votes at every end of a Session that began GA, and in MPI_Finalize until all are there. A process that is elsewhere
/// takes part in the others' votes later, in their order.
struct Vote {
  Index left = 0;     ///< 1: an exception destroyed the Session; the process does not wait for the others
  Index outside = 0;  ///< 1: not in MPI_Finalize yet
};

struct Ballot {
  Vote mine, all;
  MPI_Request counted = MPI_REQUEST_NULL;
};

/// What this library keeps from GA_Initialize to the end of Global Arrays, whatever begins and ends it: handles and
/// groups have a meaning only between these. When GA ends, all of it is forgotten.
struct GaSession {
  HandlePool pool;
  Groups groups;
  /// If a Session of this library began GA, and so has to end it: of GA's processes, only for votes.
  MPI_Comm votes = MPI_COMM_NULL;
  std::list<Ballot> cast;           ///< in their order; kept as long as MPI may use them
  void (*in_finalize)() = nullptr;  ///< MPI_Finalize calls it first, while everything still works; null: nothing
  bool is_watched = false;          ///< MPI will say when GA ends

  bool has_to_end() const { return votes != MPI_COMM_NULL; }
  /// GA has ended, or MPI.
  void forget();
};

/// The one of this process. It is never destroyed, since static objects may release their handles after anything else.
GaSession& ga_session();

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
