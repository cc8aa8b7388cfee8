#pragma once

#include "plan_data.hpp"
#include <tridap/dist_array.hpp>
#include <tridap/report.hpp>

namespace tridap::redistribute {

/// Checks the arrays of one move on this process against the plan. `convert`: their element types may differ. A side of
/// which this process holds no part is not checked.
Report check_move(const PlanData& parts, const DistArray& source, const DistArray& target, bool convert);

/// check_move() for the source only.
Report check_source(const PlanData& parts, const DistArray& source);

}  // namespace tridap::redistribute
