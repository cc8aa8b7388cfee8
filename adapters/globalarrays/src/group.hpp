#pragma once

#include <tridap/index.hpp>

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

/// The processes of a communicator as GA knows them.
struct Group {
  int number = -1;           ///< GA's number; -1: all processes
  std::vector<Index> ranks;  ///< by rank in the communicator: the rank in GA's group, which GA sorts
  bool leading = true;       ///< the group holds GA's first processes, in order
};

/// The communicator on which calls over all of GA's processes begin: MPI_COMM_WORLD, which callers also pass to
/// create() and the like, unless GA has only some of its processes. Local; the same on every process.
MPI_Comm all_processes();

/// The group of a communicator's processes, in any order; std::nullopt: GA has no such group. Local.
std::optional<Group> group_of(MPI_Comm comm);

/// Room on this process's node.
struct Room {
  std::string missing;  ///< why there is too little; empty: it seems to be enough
  bool ample = false;   ///< there is several times as much
};

/// The ranks of a group that are on this process's node. **Collective** over the group in the first call, which throws
/// on every process or on none.
const std::vector<int>& node_of(int group);

/// The room on a node for `wanted`: the additional bytes of each process of the group, by its rank there. Local.
Room room_on(const std::vector<int>& node, const std::vector<Index>& wanted);

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
