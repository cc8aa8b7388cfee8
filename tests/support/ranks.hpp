#pragma once

#include <mpi.h>

/// This process's rank, and the number of processes. By MPI's profiling names, so that a test that lets MPI's own
/// functions fail can ask them.
namespace on {

inline int rank(MPI_Comm comm) {
  int r = 0;
  PMPI_Comm_rank(comm, &r);
  return r;
}

inline int processes(MPI_Comm comm) {
  int p = 0;
  PMPI_Comm_size(comm, &p);
  return p;
}

}  // namespace on
