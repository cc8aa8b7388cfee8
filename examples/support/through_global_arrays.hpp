#pragma once

#include "support/claims.hpp"
#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>

#include <memory>

namespace examples {

/// Starts Global Arrays until the result is destroyed. If this build has no Global Arrays, returns null, and the
/// function below does nothing. **Collective.**
std::shared_ptr<void> start_global_arrays();

/// Fills an array of doubles, copies it to a Global Array, and exports that. If Global Arrays cannot represent the
/// array, prints the reason in one line. **Collective.** Throws tridap::Error if more than one copy was made, or the
/// ownership or the values changed.
void through_global_arrays(const tridap::DistArray& array, const tridap::Distribution& distribution,
                           const Claims& claims);

}  // namespace examples
