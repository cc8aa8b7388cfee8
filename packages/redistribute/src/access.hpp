#pragma once

#include "plan_data.hpp"
#include <tridap/redistribute/redistribution.hpp>

#include <memory>
#include <utility>

namespace tridap::redistribute {

/// What the files of this package know of a Plan and a Redistribution beyond their public members.
struct Access {
  static Plan plan(std::shared_ptr<const PlanData> data) { return Plan(std::move(data)); }
  static const PlanData& data(const Plan& plan) { return *plan.data_; }
  /// A redistribution by a plan that is ready. **Collective.**
  static Redistribution redistribution(Plan plan, MPI_Comm comm, const Options& options);
};

inline const PlanData& data_of(const Plan& plan) { return Access::data(plan); }

}  // namespace tridap::redistribute
