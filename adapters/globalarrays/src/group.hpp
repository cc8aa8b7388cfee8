#pragma once

#include <tridap/index.hpp>

#include <mpi.h>

#include <map>
#include <optional>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

/// The processes of a communicator as GA knows them.
struct Group {
  int number = -1;           ///< GA's number; -1: all processes
  std::vector<Index> ranks;  ///< by rank in the communicator: the rank in GA's group, which GA sorts
  bool leading = true;       ///< the group holds GA's first processes, in order

  Index processes() const { return static_cast<Index>(ranks.size()); }
};

/// By rank in a communicator: the rank in another one; MPI_UNDEFINED: the other one lacks the process. Local.
std::vector<int> ranks_in(MPI_Comm comm, MPI_Comm other);
/// The processes of a communicator, as GA's ranks in ascending order. Local.
std::vector<int> members_of(MPI_Comm comm);
/// How many processes GA has.
int ga_processes();
/// The communicator on which calls over all of GA's processes begin: MPI_COMM_WORLD, which callers also pass to
/// create() and the like, unless GA has only some of its processes. Local; the same on every process.
MPI_Comm all_processes();

/// The groups of GA that this library uses.
class Groups {
 public:
  /// The group of a communicator's processes, in any order. Throws Error if GA has no such group, or is not
  /// initialised. Local.
  Group of(MPI_Comm comm) const;
  /// GA's number of the group with these members (see members_of()); std::nullopt: GA has none. Local.
  std::optional<int> number(const std::vector<int>& members) const;
  /// Makes a group of these processes. **Collective** over all of GA's processes. Throws the same Error on every
  /// process if GA has no more numbers.
  void add(std::vector<int> members);
  /// The ranks of a group that are on this process's node. **Collective** over the group in the first call.
  const std::vector<int>& on_node(int group);

 private:
  std::map<std::vector<int>, int> numbers_;  // by members; the same on every process
  int highest_ = 0;                          // of these numbers
  std::map<int, std::vector<int>> on_node_;  // by group
};

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
