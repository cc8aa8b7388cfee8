#pragma once

#include "form.hpp"

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

/// `why` with the distribution that GA could hold instead, if there is one.
Finding with_nearest(Finding why, const redistribute::PlacedDistribution& placed, const ElementType& type,
                     Index processes, bool leading);
/// form_of(), but throws this if GA cannot hold it.
Form need_form(const redistribute::PlacedDistribution& placed, const ElementType& type, Index processes, bool leading);
/// nearest() on a group of GA.
redistribute::PlacedDistribution nearest_in(const redistribute::PlacedDistribution& placed, const ElementType& type,
                                            Index processes, bool leading);

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
