#pragma once

#include "parts.hpp"

#include <memory>

namespace tridap::redistribute {

/// The plan back of one that was made from ids (ids.hpp), of this process. Throws Error where several processes have
/// one element.
std::shared_ptr<const Plan::Data> reversed_ids(const Plan::Data& parts, Index element_bytes);

}  // namespace tridap::redistribute
