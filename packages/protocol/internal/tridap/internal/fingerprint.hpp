#pragma once

#include <tridap/distribution.hpp>

namespace tridap {

/// A hash of all that a distribution says, which processes compare instead of it. See tridap/internal/digest.hpp.
Index fingerprint(const Distribution& distribution);

}  // namespace tridap
