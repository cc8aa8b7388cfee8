#pragma once

#include <mpi.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <vector>

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

/// The ranks of the processes on this process's node, itself among them: those whose host has the same name.
/// **Collective.**
inline std::vector<int> ranks_of_node(MPI_Comm comm) {
  using Name = std::array<char, 256>;
  Name here{};
  gethostname(here.data(), here.size() - 1);
  std::vector<Name> all(static_cast<std::size_t>(processes(comm)));
  PMPI_Allgather(here.data(), 256, MPI_CHAR, all.data(), 256, MPI_CHAR, comm);
  std::vector<int> ranks;
  for (std::size_t r = 0; r < all.size(); ++r)
    if (all[r] == here) ranks.push_back(static_cast<int>(r));
  return ranks;
}

}  // namespace on
