#pragma once

#include <mpi.h>

/// Who asks, and how many there are.
namespace on {

inline int rank(MPI_Comm comm) {
  int r = 0;
  MPI_Comm_rank(comm, &r);
  return r;
}

inline int processes(MPI_Comm comm) {
  int p = 0;
  MPI_Comm_size(comm, &p);
  return p;
}

}  // namespace on
