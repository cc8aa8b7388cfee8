#pragma once

#include <mpi.h>

#include <string>

namespace tridap::mpi {

/// Writes a capture from every process's entry (see capture_entry()), as write_capture() describes. **Collective.**
void write_entries(const std::string& path, const std::string& entry, MPI_Comm comm);

/// Writes a capture of one process. Local; does not need MPI. Throws Error if the file cannot be written.
void write_entry(const std::string& path, const std::string& entry);

}  // namespace tridap::mpi
