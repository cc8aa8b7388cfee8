#pragma once

#include <tridap/index.hpp>

#include <mpi.h>

#include <cstdlib>

namespace bench {

/// What every correct import must find out: whether all processes make this call, which takes a message of the same
/// length in every call; and whether the memory of each process is `right`, and the counts of all add up to `size`. A
/// process alone cannot know it, and one that went on alone would wait for ever. **Collective.**
inline void agree_by_hand(bool right, tridap::Index count, tridap::Index size, MPI_Comm comm) {
  constexpr tridap::Index import = 17;
  tridap::Index call[] = {import, -import};
  MPI_Allreduce(MPI_IN_PLACE, call, 2, MPI_INT64_T, MPI_MAX, comm);
  if (call[0] != -call[1]) std::abort();
  tridap::Index all[] = {right ? 0 : 1, count};
  MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT64_T, MPI_SUM, comm);
  if (all[0] != 0 || all[1] != size) std::abort();
}

}  // namespace bench
