#pragma once

#include "plan_data.hpp"

namespace tridap::redistribute {

/// Fills `out.axes` and `in.axes` of a plan with Mapping::ravel, in which the only axis of one side numbers the
/// elements of the other. The processes of both sides must be set before. Throws Error if the two sides do not have the
/// same elements.
void ravel(PlanData& parts);

}  // namespace tridap::redistribute
