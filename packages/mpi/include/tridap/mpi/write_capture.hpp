#pragma once

#include <tridap/dist_array.hpp>

#include <mpi.h>

#include <string>

namespace tridap::mpi {

/// Writes an array, of which every process gives its own part, to a capture: a file that the command `tridap` and
/// read_capture() read. The capture holds what every process states, without the elements. The array may break any
/// rule: the capture then shows to `tridap check` what check() complains of. Rank `r` of `comm` is process `r`.
///
/// Each of two processes gives 3 rows of a column of 6 elements. `tridap show column.json` draws the owner of each row:
///
///     tridap::mpi::write_capture(array, "column.json", MPI_COMM_WORLD);
///
/// A capture does not hold addresses, memory spaces and read-only flags. A value that JSON cannot hold becomes text. An
/// element type that NumPy has no name for, such as a float of 5 bytes, is an error in the capture.
///
/// **Collective**, with the same path on every process: throws the same Error on every process or on none, for example
/// if the paths differ or if rank 0 cannot write the file. Rank 0 writes. It holds one piece of 1 MiB of the other
/// processes' text at a time. The file gets its name when it is complete. If an error occurs, a file that had this name
/// before remains unchanged.
void write_capture(const DistArray& array, const std::string& path, MPI_Comm comm);

}  // namespace tridap::mpi
