#pragma once

#include <tridap/tpetra/array_map.hpp>

#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::tpetra::detail {

/// mpi::gather_distribution(). If the order of the processes differs from that of the grid, and all processes set
/// `reorder`, it gathers over the processes in the grid's order; `ranks` then becomes the rank of each process of the
/// grid. **Collective**, inside of a Call on `comm`, which is its duplicate; messages contain ranks of `comm`.
Distribution gather_any(const DistArray& array, MPI_Comm comm, bool reorder, std::vector<int>& ranks, Index& flags);

/// A digest of the options, and its complement, as bits beside the flags. A bitwise AND over the processes keeps a
/// digest and its complement only if all processes have the same options.
Index said(const ArrayMapOptions& options, bool vectors);
bool all_said_the_same(Index agreed);

}  // namespace tridap::tpetra::detail

#pragma GCC visibility pop
