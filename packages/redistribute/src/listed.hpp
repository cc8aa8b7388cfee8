#pragma once

#include "plan_data.hpp"

#include <memory>

namespace tridap::redistribute {

/// Makes this process's plan for the opposite move of a plan that was made from ids (ids.hpp). Throws Error if several
/// processes list the same element.
std::shared_ptr<const PlanData> reversed_ids(const PlanData& parts, Index element_bytes);

}  // namespace tridap::redistribute
