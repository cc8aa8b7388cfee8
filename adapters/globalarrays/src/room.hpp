#pragma once

#include <tridap/index.hpp>

#include <string>

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

/// Text for a remedy: how to make windows work between nodes, with the MPI library that we were built with.
std::string windows_between_nodes();

// If a node has too little memory for MPI's windows, GA aborts, or MPI waits for ever, or the first access kills the
// process. So this function checks it before.

struct Room {
  std::string missing;  ///< why there is too little; empty: it seems to be enough
  bool ample = false;   ///< there is several times as much, so that memory promised to others may be ignored
};

/// The room of this node for a window of `wanted` more bytes. `shared`: several of its processes share the window; if
/// not, one process has it alone. Local.
Room room_for(Index wanted, bool shared);

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
