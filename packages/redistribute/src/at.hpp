#pragma once

#include <tridap/index.hpp>

#include <cstddef>

namespace tridap::redistribute {

/// A number that is at least 0 as a position in a container.
inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace tridap::redistribute
