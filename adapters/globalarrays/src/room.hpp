#pragma once

#include <tridap/index.hpp>

#include <string>

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

/// Text for a remedy: how to make windows work between nodes, with the MPI library that we were built with.
std::string windows_between_nodes();

// If a node has too little memory for MPI's windows, GA aborts, or MPI waits for ever, or the first access kills the
// process. So these functions check it before.

/// Why this node does not have `wanted` more bytes for a window; empty: it seems to have them. `shared`: several of its
/// processes share the window; if not, one process has it alone. Local.
std::string room_is_missing(Index wanted, bool shared);

/// Whether it has several times as many. Then memory that others were promised and have not touched may be ignored.
/// Local.
bool room_is_ample(Index wanted, bool shared);

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
