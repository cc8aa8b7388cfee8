#pragma once

#include <tridap/check.hpp>
#include <tridap/distribution.hpp>

#include <vector>

namespace tridap {

/// Checks a whole array in one place, with what each process said of it, in the order of their ranks: every rule, each
/// process's own and those between processes. Nothing communicates.
Report check(const std::vector<DistArray>& of_each_process, const Reading& reading = {});

/// The Distribution that all processes' dim_data make up, after the same check; throws Error where there is none.
Distribution gather_distribution(const std::vector<DistArray>& of_each_process, const Reading& reading = {});

}  // namespace tridap
