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

/// What relabel() may look at unless it is told otherwise; it takes some seconds.
inline constexpr Index default_most_pairs = 1'000'000'000;

/// Finds such a placement on `processes` processes, without MPI. This is a linear assignment problem.
///
/// Up to 2048 processes, the placement is the best one. For more, only the ranks that have most in common with a part
/// are searched, and the search ends after a number of steps. Then `most_bytes_kept` bounds how far the result is from
/// the best; `bytes_kept` is exact. A part that has as much in common with every rank, up to one block on each axis, is
/// not searched: it keeps its rank, unless another part needs that.
///
/// `most_pairs` limits the pairs of coordinates, blocks or unstructured indices that are looked at. Throws Error, at
/// once, if an estimate says that there are more. The search for more than 2048 processes takes at most a number of
/// steps that is proportional to `most_pairs`. So the result depends on it, but never on time. 10 000 processes from
/// blocks to a cyclic axis are 10^8 pairs.
///
/// A rank that holds no part of the target may get one only if `target.ranks` names fewer ranks than there are
/// processes.
Relabelling relabel(const PlacedDistribution& source, const PlacedDistribution& target, Index element_bytes,
                    Index processes, const Mapping& mapping = {}, Index most_pairs = default_most_pairs);

}  // namespace tridap::redistribute
