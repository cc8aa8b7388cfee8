#pragma once

#include "plan_data.hpp"
#include "walk.hpp"
#include <tridap/dist_array.hpp>
#include <tridap/report.hpp>

namespace tridap::redistribute {

/// What is wrong on this process with the arrays of one move, each against its side of the plan; `convert`: their
/// element types may differ. A side of which this process holds nothing is not looked at.
Report check_move(const PlanData& parts, const DistArray& source, const DistArray& target, bool convert);

/// The same for the source alone.
Report check_source(const PlanData& parts, const DistArray& source);

}  // namespace tridap::redistribute
