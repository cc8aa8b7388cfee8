#pragma once

#include <dap/index.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace dap::mpi {

// Open MPI's windows wait for ever where the node has too little memory for them, or kill the process at the first
// touch: so one looks before, and touches in a way that can fail.

/// Why this node cannot share `wanted` bytes more among its processes; empty: it seems to have them. Local.
std::string room_is_missing(Index wanted);

/// Gives `bytes` of fresh memory their pages, near this process; false: the system has no more.
bool touch(std::byte* begin, Index bytes);

/// Memory of this process alone, on whole pages; null: the system has none.
std::shared_ptr<std::byte> own_pages(Index bytes);

/// Shared memory once more, at another address, for as long as the owner lives, whatever becomes of `begin`; null: the
/// system cannot do that.
std::shared_ptr<std::byte> same_pages(std::byte* begin, Index bytes);

}  // namespace dap::mpi
