#pragma once

#include <tridap/index.hpp>

#include <optional>
#include <string>

namespace tridap::mpi {

// What a node has left, for messages and for tests before memory is allocated. All of it is local.

/// This node's name.
std::string node_name();

/// The free bytes of the file system of a folder; nothing: unknown, or too many for an Index.
std::optional<Index> bytes_left(const std::string& folder);

/// `bytes`, a sixteenth more and 1 MiB more; nothing: too many for an Index. A node's memory should not be filled
/// completely, and Open MPI's windows need a twentieth more themselves.
std::optional<Index> with_spare(Index bytes);

/// Allocates the pages of `bytes` of new memory, near this process; false: the system has no more memory. If the system
/// has no call for this, one byte on each page is set to 0.
bool touch(void* begin, Index bytes);

}  // namespace tridap::mpi
