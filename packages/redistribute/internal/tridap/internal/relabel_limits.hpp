#pragma once

#include <tridap/redistribute/relabel.hpp>

namespace tridap::redistribute {

/// What bounds the time and the memory of relabel(), for tests that need small ones.
struct RelabelLimits {
  Index pairs = default_most_pairs;  ///< that are looked at to find what parts have in common
  Index exact_processes = 2048;      ///< up to which nothing below holds
  Index entries = Index{1} << 21;    ///< of the tables of an axis, and of the assignment problem; of 16 bytes each
  Index search_fraction = 16;        ///< the search looks at so many times fewer than `pairs`, in each of its ways
};

/// What relabel() has done.
struct RelabelCounts {
  Index cells = 0;    ///< of overlaps, of all axes
  Index entries = 0;  ///< of the assignment problem
};

/// relabel() within these limits.
Relabelling relabel_within(const RelabelLimits& limits, const PlacedDistribution& source,
                           const PlacedDistribution& target, Index element_bytes, Index processes,
                           const Mapping& mapping = {}, RelabelCounts* counts = nullptr);

}  // namespace tridap::redistribute
