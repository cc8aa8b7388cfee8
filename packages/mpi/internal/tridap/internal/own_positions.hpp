#pragma once

#include <tridap/distribution.hpp>
#include <tridap/flat_numbers.hpp>

#include <mpi.h>

namespace tridap::mpi {

/// For FlatNumbers, of each axis in the directory form that has gaps: the positions of this process's own indices among
/// all distinct ones; of another list with gaps: all positions. Null if no such axis is in the directory form. All
/// indices are sorted, spread over the processes: a process with n of N indices has some N / P of them, and what it
/// asks for.
/// **Collective** over the processes of the array: six collective calls of MPI for each such axis, and one more. Throws
/// the same Error on every process or on none.
PositionsOfAxes own_positions(const Distribution& distribution, MPI_Comm comm);

/// UnstructuredIds::compact numbers of a distribution of which own_positions() are known.
inline FlatNumbers compact_numbers(const Distribution& distribution, const PositionsOfAxes& known) {
  return known ? FlatNumbers(distribution, Order::row_major, known)
               : FlatNumbers(distribution, Order::row_major, UnstructuredIds::compact);
}

}  // namespace tridap::mpi
