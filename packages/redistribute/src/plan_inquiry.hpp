#pragma once

#include <tridap/global_ids.hpp>
#include <tridap/internal/directory.hpp>
#include <tridap/redistribute/options.hpp>
#include <tridap/redistribute/placed.hpp>

#include <mpi.h>

#include <functional>
#include <optional>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// The two ends of a plan.
struct Sides {
  PlacedDistribution source, target;

  bool has_directory() const {
    return mpi::has_directory(source.distribution()) || mpi::has_directory(target.distribution());
  }
};

/// What the plan of this process has to know of lists that stay on their processes: where its own elements of one side
/// are on the other side. **Collective**, on processes that have the same sides: Directory::ask() for each axis in the
/// directory form. Throws the same Error on every process or on none.
class PlanInquiry {
 public:
  PlanInquiry(const Sides& sides, const Mapping& mapping, MPI_Comm comm);

  /// The sides, of which a plan can be made on this process. Local; throws std::bad_alloc.
  Sides learned() const;

 private:
  Sides sides_;
  std::optional<mpi::Inquiry> of_source_, of_target_;
};

/// The same of an array whose elements have flat numbers, for those that `visit_numbers(visit)` visits. **Collective.**
PlacedDistribution learned_of_numbers(
    const PlacedDistribution& array, Order order,
    const std::function<void(const std::function<void(Index number)>&)>& visit_numbers, MPI_Comm comm);

}  // namespace tridap::redistribute

#pragma GCC visibility pop
