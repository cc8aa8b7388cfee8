#pragma once

#include <mpi.h>

namespace tridap::redistribute {

/// A communicator and a tag for our messages, so that they cannot be confused with the caller's or with each other.
struct Channel {
  MPI_Comm comm = MPI_COMM_NULL;
  int tag = 0;  ///< another one for each call, until all that MPI has were used
};

/// The duplicate of a communicator that stays with it, made by the first call and freed with it: one for each plan
/// could only be freed together. **Collective**; throws the same Error on every process where memory ends.
Channel channel_of(MPI_Comm comm);

/// True once MPI is over and what it made must be left alone.
bool mpi_is_over();

}  // namespace tridap::redistribute
