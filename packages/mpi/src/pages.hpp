#pragma once

#include <dap/index.hpp>

#include <cstddef>
#include <memory>

namespace dap::mpi {

/// Memory of this process alone, on whole pages; null: the system has none.
std::shared_ptr<std::byte> own_pages(Index bytes);

/// Shared memory once more, at another address, for as long as the owner lives, whatever becomes of `begin`; null: the
/// system cannot do that.
std::shared_ptr<std::byte> same_pages(std::byte* begin, Index bytes);

}  // namespace dap::mpi
