#pragma once

#include <mpi.h>

/// Moves of arrays in the memory of GPUs. A program that links `TriDAP::device` has them: the calls of
/// `tridap/redistribute/redistribution.hpp` take arrays in the memory of a device then.
namespace tridap::device {

/// Closes the memory of other processes that moves on this communicator have opened; after it, all processes have. Call
/// it before you free memory that others have read: CUDA does not say what happens to memory that is freed while
/// another process has it open. It also frees what this process keeps on devices for later moves. The next move opens
/// what it needs again. **Collective**: throws the same Error on every process if a move is in progress.
void close(MPI_Comm comm);

}  // namespace tridap::device
