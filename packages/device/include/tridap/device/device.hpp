#pragma once

#include <mpi.h>

/// Moves of arrays in the memory of GPUs. A program that links `TriDAP::device` has them: the calls of
/// `tridap/redistribute/redistribution.hpp` take arrays in the memory of a device then.
namespace tridap::device {

/// Closes the memory of other processes that moves on this communicator have opened. A process may free the memory of
/// an array at any time outside a move, but it stays occupied as long as others have it open: they close it at their
/// next move with new arrays, here, and when the communicator is freed. The next move opens what it needs again.
/// **Collective.**
void close(MPI_Comm comm);

}  // namespace tridap::device
