#pragma once

#include <tridap/internal/plan_data.hpp>
#include <tridap/redistribute/options.hpp>

#include <mpi.h>

#include <memory>

namespace tridap::redistribute {
class Redistribution;  // not below: there it would be hidden from programs that link a shared library
}

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// Makes a Redistribution of a plan that this process has made. **Collective.**
struct Access {
  static Redistribution redistribution(const Plan& plan, MPI_Comm comm, const Options& options);
};

/// Makes this process's plan for the opposite move of a plan that was made from ids (ids.hpp). Throws Error if several
/// processes list the same element.
std::shared_ptr<const PlanData> reversed_ids(const PlanData& parts, Index element_bytes);

}  // namespace tridap::redistribute

#pragma GCC visibility pop
