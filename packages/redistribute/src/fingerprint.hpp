#pragma once

#include <tridap/redistribute/redistribution.hpp>

namespace tridap::redistribute {

/// A number for all that a plan goes by, the same on every process, and another one where two processes plan otherwise.
Index fingerprint(const Plan& plan, const Options& options);

/// Throws Error where a side stands on ranks that the team of so many processes does not have.
void check_ranks(const Plan& plan, Index processes);

}  // namespace tridap::redistribute
