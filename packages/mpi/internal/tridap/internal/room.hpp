#pragma once

#include <tridap/index.hpp>

#include <optional>
#include <string>

namespace tridap::mpi {

// MPI's windows wait for ever where the node has too little memory for them, or kill the process at the first touch: so
// one looks before, and touches in a way that can fail. All of this is local.

/// This node's name, for messages.
std::string node_name();

/// What gives a node more shared memory, for remedies: words that suit the MPI library that we were built with.
std::string more_shared_memory();

/// What makes windows reach processes of several nodes, for remedies: words that suit the MPI library, too.
std::string windows_between_nodes();

/// Where MPI has the files behind its windows: as a user tells Open MPI's component ("sm", "rdma") in the environment,
/// or where Linux has them, or where that cannot be written, among Open MPI's temporary files. It does not query MPI
/// (MPI_T), because that takes 0.2 s and leaks memory in Open MPI.
std::string backing_folder(const std::string& component);

/// Whether Open MPI may make windows by this component of its ("sm", "rdma"), as OMPI_MCA_osc says in the environment;
/// true where nothing is said, and for other MPI libraries.
bool may_make_windows_by(const std::string& component);

/// Bytes that the file system of a folder has left; nothing: unknown, or more than an Index says.
std::optional<Index> bytes_left(const std::string& folder);

/// Whether this process has so many addresses left, which a limit may forbid.
bool addresses_left(Index bytes);

/// So many bytes, a sixteenth and a MiB more: nobody should fill a node's memory to the last byte, and Open MPI's
/// windows want a twentieth more themselves. Nothing: too many for an Index.
std::optional<Index> with_spare(Index bytes);

/// Gives `bytes` of fresh memory their pages, near this process; false: the system has no more. Where the system cannot
/// be asked, a byte on each page becomes 0.
bool touch(void* begin, Index bytes);

}  // namespace tridap::mpi
