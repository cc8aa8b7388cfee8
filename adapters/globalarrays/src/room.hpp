#pragma once

#include <tridap/index.hpp>

#include <string>

namespace tridap::globalarrays {

// GA aborts where the node has too little memory for a window: so one looks before.

/// Why this node has no `wanted` bytes more for a window, which several of its processes share or one has alone; empty:
/// it seems to have them. Local.
std::string room_is_missing(Index wanted, bool shared);

/// Whether it has several times as many, so that what others were promised and have not touched may be left out. Local.
bool room_is_ample(Index wanted, bool shared);

}  // namespace tridap::globalarrays
