#pragma once

#include "ga.hpp"

namespace dap::globalarrays {

/// Calls `forget` when this GA ends, whoever ends it, or MPI does: once, and not for a GA that begins later. The same
/// function more than once is one. `forget` must not call GA. Local; a process that knows it is done in a few
/// nanoseconds.
void at_ga_end(void (*forget)());

inline bool told_of_end = false;  ///< at_ga_end() will hear of the end of the GA that there is
inline int rank_of_all = 0;       ///< this process's own in GA's group of all, where that is so
/// Whether GA has begun and has not ended: as GA_Initialized says, but for free once at_ga_end() was called.
inline bool ga_is_there() { return told_of_end || GA_Initialized() != 0; }

/// GA has ended: calls what at_ga_end() got, where that has not been yet.
void ga_has_ended();

/// Calls `end` first of all in MPI_Finalize, while everything still works, and before what at_ga_end() got. Local.
void at_mpi_end(void (*end)());

}  // namespace dap::globalarrays
