#pragma once

#include <tridap/mpi/agree.hpp>

#include <mpi.h>

namespace tridap::redistribute {

/// Takes part in the moving call of the other processes, as Redistribution::object() does, on a process that has not
/// even the plan: every process throws the same Error. **Collective.**
[[noreturn]] void object_to_move(MPI_Comm comm, mpi::Faults why);

}  // namespace tridap::redistribute
