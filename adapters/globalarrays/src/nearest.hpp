#pragma once

#include "form.hpp"

namespace tridap::globalarrays {

/// `why_not` with what GA could hold instead, where there is anything.
Finding with_nearest(Finding why_not, const redistribute::PlacedDistribution& placed, const ElementType& type,
                     Index processes, bool leading = true);
/// nearest() on a group of GA's.
redistribute::PlacedDistribution nearest_in(const redistribute::PlacedDistribution& placed, const ElementType& type,
                                            Index processes, bool leading);

}  // namespace tridap::globalarrays
