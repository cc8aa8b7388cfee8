#pragma once

#include <tridap/index.hpp>

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

namespace tridap::globalarrays {

/// The processes of a communicator as GA knows them.
struct Group {
  int number = -1;           ///< GA's, -1: all processes
  std::vector<Index> ranks;  ///< by rank in the communicator, the one in GA's group, which GA sorts
  bool leading = true;       ///< GA's first processes, in order
};

/// The group of a communicator's processes, in any order; nothing: GA has no such group. Local.
std::optional<Group> group_of(MPI_Comm comm);

/// Room on this process's node.
struct Room {
  std::string missing;  ///< why there is too little; empty: it seems to be enough
  bool ample = false;   ///< several times as much
};

/// The room for bytes that each of a group's processes, by rank there, wants more. **Collective** over the group the
/// first time.
Room group_room(int number, const std::vector<Index>& wanted);

}  // namespace tridap::globalarrays
