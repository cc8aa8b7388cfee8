#pragma once

#include <mpi.h>

namespace tridap::mpi {

/// Watches for calls that wait too long: if a process is in one collective call of TriDAP for so many seconds, one
/// process of its node prints to standard error where each process of the node is, and all of them go on waiting. 0
/// ends it.
///
/// Example: rank 1 does not make a call of the others. After `watch(30)`, this appears once:
///
///     tridap: rank 0 is in one call for 30 s. The processes of node-3:
///       rank 0: in x.max() for 30 s, waiting for the other processes to begin it (job.py:12)
///       rank 1: in no call of TriDAP; last call x.sum() 31 s ago (job.py:9)
///
/// While it watches, each process has one thread more, which calls no function of MPI, and a page of shared memory
/// without a name. Nothing communicates after this call. **Collective** over `comm`, which becomes the communicator
/// whose ranks are printed: throws the same Error on every process or on none.
void watch(double seconds, MPI_Comm comm = MPI_COMM_WORLD);

}  // namespace tridap::mpi
