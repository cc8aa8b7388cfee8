#pragma once

#include <tridap/detail/refuse.hpp>

#include <string>

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

/// The name of a Global Array in a message.
inline std::string named(int handle) { return "Global Array " + std::to_string(handle); }

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
