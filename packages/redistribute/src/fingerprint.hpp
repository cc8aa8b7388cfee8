#pragma once

#include <tridap/redistribute/redistribution.hpp>

namespace tridap::redistribute {

/// A number for all that a plan goes by, the same on every process, and another one where two processes plan otherwise.
Index fingerprint(const Plan& plan, const Options& options);

}  // namespace tridap::redistribute
