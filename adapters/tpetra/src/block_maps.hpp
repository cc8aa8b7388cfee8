#pragma once

#include <tridap/sparse/sparse_rows.hpp>
#include <tridap/tpetra/array_map.hpp>

#pragma GCC visibility push(hidden)

namespace tridap::tpetra::detail {

/// The contiguous map of bounds. **Collective**: throws the same Error on every process if Tpetra has no such ids.
Teuchos::RCP<const Map> block_map(const Bounds& bounds, Index process, const Communicator& comm);

/// Throws Error if a map has another number of ids on this process than `count`. `what` is "rows" or "columns". Local.
void need_count(const Map& map, Index count, const char* what);

/// Throws Error if the host cannot access the values of the node's matrices. Local.
void need_host_node();

/// The communicator of a map; throws Error if the map is null. Local.
Communicator communicator_of(const Teuchos::RCP<const Map>& map, const char* what);

}  // namespace tridap::tpetra::detail

#pragma GCC visibility pop
