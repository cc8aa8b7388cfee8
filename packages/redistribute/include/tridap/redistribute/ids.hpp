#pragma once

#include <tridap/global_ids.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <mpi.h>

namespace tridap::redistribute {

/// Moves an array to processes that each list the flat numbers of the elements that they want, in any order, as the
/// unstructured maps of Tpetra have them: the target is one-dimensional, and element `k` of a process is the one that
/// its id `k` names. `options.mapping.ravel` says how ids number the array; nothing: row-major. Several processes may
/// want one element. One that nobody wants is an error, unless `options.mapping.partial`.
///
/// **Collective**: throws the same Error on every process or on none. Each process finds out by itself who has what it
/// wants, and tells these: time, memory and messages in proportion to its own ids, or to the runs among them.
Redistribution to_ids(const PlacedDistribution& source, const GlobalIds& ids, Index element_bytes, MPI_Comm comm,
                      Options options = {});

/// The way back: element `k` of a process goes to where the array has its id `k`. An id that two processes list is an
/// error, since nobody could say whose element it is; one that nobody lists is, unless `options.mapping.partial`.
Redistribution from_ids(const GlobalIds& ids, const PlacedDistribution& target, Index element_bytes, MPI_Comm comm,
                        Options options = {});

}  // namespace tridap::redistribute
