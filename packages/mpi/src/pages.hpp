#pragma once

#include <tridap/index.hpp>

#include <cstddef>
#include <memory>

namespace tridap::mpi {

/// Bytes of a page of this system: 4096, 16384 or 65536. What each part of a piece is a multiple of.
Index page_bytes();

/// Memory of this process alone, on whole pages; null: the system has none.
std::shared_ptr<std::byte> own_pages(Index bytes);

/// Shared memory once more, at another address, for as long as the owner lives, whatever becomes of `begin`; null: the
/// system cannot do that.
std::shared_ptr<std::byte> same_pages(std::byte* begin, Index bytes);

}  // namespace tridap::mpi
