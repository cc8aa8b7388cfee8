#pragma once

#include <tridap/check.hpp>
#include <tridap/distribution.hpp>

#include <vector>

namespace tridap {

/// Checks a whole array in one process, given what every process exported, in the order of the ranks. All rules are
/// checked: those of each process alone and those between processes. Nothing communicates.
Report check(const std::vector<DistArray>& of_each_process, const Reading& reading = {});

/// The Distribution that the dim_data of all processes describe. Does the same check first, and throws Error if it
/// fails.
Distribution gather_distribution(const std::vector<DistArray>& of_each_process, const Reading& reading = {});

}  // namespace tridap
