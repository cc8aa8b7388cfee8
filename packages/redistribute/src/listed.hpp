#pragma once

#include "plan_data.hpp"

#include <memory>

namespace tridap::redistribute {

/// The plan back of one that was made from ids (ids.hpp), of this process. Throws Error where several processes have
/// one element.
std::shared_ptr<const PlanData> reversed_ids(const PlanData& parts, Index element_bytes);

}  // namespace tridap::redistribute
