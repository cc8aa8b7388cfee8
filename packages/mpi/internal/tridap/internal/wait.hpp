#pragma once

#include <mpi.h>
#include <sched.h>

#include <vector>

namespace tridap::mpi {

/// Calls `done` until it returns true, and between the calls gives the core to another process that is ready to run.
/// Some MPI libraries, such as MPICH, keep the core while they wait. If there are more processes than cores, the
/// process that they wait for then runs only when its next time slice comes. What arrives at once, such as a short
/// message on the same node, is not waited for so: the first calls follow one another.
template <class Done>
void wait_until(Done&& done) {
  constexpr int patience = 50;
  for (int calls = 1; !done(); ++calls)
    if (calls > patience) sched_yield();
}

/// Waits for all requests, by wait_until(). Throws on this process alone if MPI fails.
void wait_for(std::vector<MPI_Request>& requests);

}  // namespace tridap::mpi
