#pragma once

#include <tridap/detail/refuse.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace tridap::redistribute {

/// A number that is at least 0 as a position in a container.
inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace tridap::redistribute
