#pragma once

#include "support/claims.hpp"
#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>

#include <memory>

namespace examples {

/// Global Arrays for as long as the result lives; null, and nothing below does anything, where this build is without.
/// **Collective.**
std::shared_ptr<void> start_global_arrays();

/// Makes an array of doubles a Global Array, and exports that again; or says in one line why there is none like it. The
/// array is filled. **Collective**; throws tridap::Error where more than one copy was made, or another ownership or
/// other values come back.
void through_global_arrays(const tridap::DistArray& array, const tridap::Distribution& distribution,
                           const Claims& claims);

}  // namespace examples
