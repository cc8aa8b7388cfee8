#pragma once

#include "plan_data.hpp"

namespace tridap::redistribute {

/// What moves where one side's only axis numbers the elements of the other (Mapping::ravel): fills `out.axes` and
/// `in.axes` of a plan whose sides are placed. Throws Error where the two sides are not of one array.
void ravel(PlanData& parts);

}  // namespace tridap::redistribute
