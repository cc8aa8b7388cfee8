#pragma once

#include <tridap/redistribute/plan.hpp>

#include <vector>

namespace tridap::redistribute {

/// A placement of the parts of a target on processes, such that as few bytes as possible are sent.
struct Relabelling {
  std::vector<Index> ranks;     ///< by process of the target: its rank; for PlacedDistribution
  Index bytes_kept = 0;         ///< bytes that are not sent with these ranks, summed over all processes
  Index bytes_kept_before = 0;  ///< bytes that are not sent with the given ranks
  Index most_bytes_kept = 0;    ///< an upper bound over all placements; equal to `bytes_kept` if `exact`
  bool exact = false;
};

/// Finds such a placement on `processes` processes, without MPI. This is a linear assignment problem. It is solved
/// exactly for up to 2048 processes. For more, the result may not be optimal, and `most_bytes_kept` bounds how far it
/// is from the best. A rank that holds no part of the target may get one only if `target.ranks` names fewer ranks than
/// there are processes.
Relabelling relabel(const PlacedDistribution& source, const PlacedDistribution& target, Index element_bytes,
                    Index processes, const Mapping& mapping = {});

}  // namespace tridap::redistribute
