#pragma once

#include <tridap/index.hpp>

#include <optional>
#include <string>

namespace tridap::mpi {

// If a node has too little memory for MPI's windows, MPI waits for ever or the first access kills the process. These
// functions test for enough memory first, and allocate pages in a way that reports failure. All of them are local.

/// This node's name, for messages.
std::string node_name();

/// Text for a remedy: how to give this node more shared memory, with the MPI library that we were built with.
std::string more_shared_memory();

/// Text for a remedy: how to make windows work between nodes, with the MPI library that we were built with.
std::string windows_between_nodes();

/// The folder in which MPI keeps the files behind its windows. It is the folder that the environment sets for Open
/// MPI's component ("sm", "rdma"), else /dev/shm, else (if /dev/shm cannot be written) Open MPI's folder for temporary
/// files. It does not query MPI (MPI_T), because that takes 0.2 s and leaks memory in Open MPI.
std::string backing_folder(const std::string& component);

/// Whether the environment variable OMPI_MCA_osc allows Open MPI to make windows with a component ("sm", "rdma"). True
/// if it is not set, and for other MPI libraries.
bool may_make_windows_by(const std::string& component);

/// The free bytes of the file system of a folder; nothing: unknown, or too many for an Index.
std::optional<Index> bytes_left(const std::string& folder);

/// Whether this process may map `bytes` more bytes of address space, which can be limited (ulimit -v).
bool addresses_left(Index bytes);

/// `bytes`, a sixteenth more and 1 MiB more; nothing: too many for an Index. A node's memory should not be filled
/// completely, and Open MPI's windows need a twentieth more themselves.
std::optional<Index> with_spare(Index bytes);

/// Allocates the pages of `bytes` of new memory, near this process; false: the system has no more memory. If the system
/// has no call for this, one byte on each page is set to 0.
bool touch(void* begin, Index bytes);

}  // namespace tridap::mpi
