#pragma once

#include <tridap/redistribute/plan.hpp>

#include <mpi.h>

#include <vector>

namespace tridap::redistribute {

/// Which process shall hold which part of a target, so that as few bytes as possible travel.
struct Relabelling {
  std::vector<Index> ranks;     ///< by process of the target, its rank: to be put into PlacedDistribution
  Index bytes_kept = 0;         ///< bytes that stay where they are with these ranks, over all processes
  Index bytes_kept_before = 0;  ///< and with the ranks that were given
  Index most_bytes_kept = 0;    ///< no assignment keeps more; `bytes_kept` where `exact`
  bool exact = false;
};

/// Finds it, without MPI: a linear assignment problem, solved exactly up to 2048 processes of the team; beyond, with a
/// bound (`most_bytes_kept`) that says how far it may be from the best. `processes`: of the team. Ranks that hold no
/// part of the target may come to hold one only where `target.ranks` names fewer of them than there are processes.
Relabelling relabel(const PlacedDistribution& source, const PlacedDistribution& target, Index element_bytes,
                    Index processes, const Mapping& mapping = {});

/// relabel() over the processes of a communicator; and a new communicator, to be freed by the caller, in which the
/// target's part `p` is held by rank `p`. **Collective**: throws the same Error on every process or on none. It has a
/// name of its own since MPICH's communicators are integers, as `processes` is.
struct Relabelled {
  Relabelling relabelling;
  MPI_Comm comm = MPI_COMM_NULL;
};
Relabelled relabel_collectively(const PlacedDistribution& source, const PlacedDistribution& target, Index element_bytes,
                                MPI_Comm comm, const Mapping& mapping = {});

}  // namespace tridap::redistribute
