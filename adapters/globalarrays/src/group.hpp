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

/// The ranks of a group that live on this process's node. **Collective** over the group the first time: throws on every
/// process or on none.
const std::vector<int>& node_of(int group);

/// The room on a node for the bytes that each of its group's processes, by rank there, wants more. Local.
Room room_on(const std::vector<int>& node, const std::vector<Index>& wanted);

}  // namespace tridap::globalarrays
