#pragma once

#include <tridap/global_ids.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <mpi.h>

namespace tridap::redistribute {

/// Plans to move an array to processes that each list the flat numbers of their elements, in any order, as unstructured
/// Tpetra maps do. The target has one axis, and local element `k` of a process is the element with its id `k`.
/// `options.mapping.ravel` says how ids number the array; nothing: row-major. Several processes may list the same
/// element. An element that no process lists is an error, unless `options.mapping.partial` is set.
///
/// **Collective**: throws the same Error on every process or on none. Each process finds the processes that hold its
/// elements without communication, and sends its requests to these only. Time, memory and messages are proportional to
/// its own ids, or to the number of runs of consecutive ids.
Redistribution to_ids(const PlacedDistribution& source, const GlobalIds& ids, Index element_bytes, MPI_Comm comm,
                      Options options = {});

/// Plans the opposite move: local element `k` of a process goes to the element of the array with its id `k`. An id that
/// is listed twice is an error, because its value would be ambiguous. An element that no process lists is an error,
/// unless `options.mapping.partial` is set. **Collective**, as to_ids().
Redistribution from_ids(const GlobalIds& ids, const PlacedDistribution& target, Index element_bytes, MPI_Comm comm,
                        Options options = {});

}  // namespace tridap::redistribute
