#pragma once

#include <tridap/internal/plan_data.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <memory>
#include <utility>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// Access to the private members of Plan and Redistribution, for the source files of this package.
struct Access {
  static Plan plan(std::shared_ptr<const PlanData> data) { return Plan(std::move(data)); }
  static const PlanData& data(const Plan& plan) { return *plan.data_; }
  /// Makes a Redistribution from an existing plan. **Collective.**
  static Redistribution redistribution(Plan plan, MPI_Comm comm, const Options& options);
};

/// Makes this process's plan for the opposite move of a plan that was made from ids (ids.hpp). Throws Error if several
/// processes list the same element.
std::shared_ptr<const PlanData> reversed_ids(const PlanData& parts, Index element_bytes);

inline const PlanData& data_of(const Plan& plan) { return Access::data(plan); }

}  // namespace tridap::redistribute

#pragma GCC visibility pop
