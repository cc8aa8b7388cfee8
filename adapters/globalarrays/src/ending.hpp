#pragma once

namespace tridap::globalarrays {

/// Calls `forget` when this GA ends, whoever ends it, or MPI does: once, and not for a GA that begins later. The same
/// function more than once is one. `forget` must not call GA. Local, and needs no memory; a process that knows it is
/// done in a few nanoseconds.
void at_ga_end(void (*forget)());

/// GA has ended: calls what at_ga_end() got, where that has not been yet.
void ga_has_ended();

/// Calls `end` first of all in MPI_Finalize, while everything still works, and before what at_ga_end() got. Local.
void at_mpi_end(void (*end)());

}  // namespace tridap::globalarrays
