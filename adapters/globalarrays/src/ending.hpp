#pragma once

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

/// Calls `forget` when this GA ends, no matter what ends it, or when MPI ends: once, and not for a GA that begins
/// later. A function that is passed several times is called once. `forget` must not call GA. Local, and needs no
/// memory. If the process has passed the function before, this takes a few nanoseconds.
void at_ga_end(void (*forget)());

/// GA has ended: calls the functions that at_ga_end() got, if they have not been called yet.
void ga_has_ended();

/// Calls `end` before anything else in MPI_Finalize, while everything still works, and before the functions that
/// at_ga_end() got. Local.
void at_mpi_end(void (*end)());

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
