#pragma once

#include <tridap/redistribute/placed.hpp>

#include <string>

namespace tridap::redistribute {

/// Throws Error where the parts are on ranks that so many processes do not have. `of`: what has the parts, in messages.
void need_ranks(const PlacedDistribution& placed, Index processes, const std::string& of);

/// A hash of the distribution and of the ranks, which processes compare instead of them.
Index fingerprint(const PlacedDistribution& placed);

}  // namespace tridap::redistribute
