#pragma once

#include <tridap/redistribute/redistribution.hpp>

namespace tridap::redistribute {

/// A hash of everything that determines a plan. It is equal on all processes that plan alike, and differs if two
/// processes plan differently.
Index fingerprint(const Plan& plan, const Options& options);

}  // namespace tridap::redistribute
