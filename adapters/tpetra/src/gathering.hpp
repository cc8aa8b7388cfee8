#pragma once

#include <tridap/tpetra/array_map.hpp>

#include <vector>

namespace tridap::tpetra::detail {

/// mpi::gather_distribution(); and where processes stand in another order than the grid's and all of them allow it,
/// over the processes in that order. Then `ranks` becomes the rank of each place in the grid. **Collective**; messages
/// name ranks.
Distribution gather_any(const DistArray& array, MPI_Comm comm, bool reorder, std::vector<int>& ranks, Index& flags);

/// The options as bits beside the flags, and their opposites: of these only what all processes say is left when they
/// agree.
Index said(const ArrayMapOptions& options, bool vectors);
bool all_said_the_same(Index agreed);

}  // namespace tridap::tpetra::detail
