#pragma once

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// How elements travel between this process and one other: what is planned for a Path that was asked for.
enum class Way {
  memory,   ///< one of the two accesses the other's memory; also our own part
  ring,     ///< through a Ring in the shared memory of the node
  typed,    ///< as a message of a derived type of MPI
  message,  ///< as messages in slots
};

}  // namespace tridap::redistribute

#pragma GCC visibility pop
