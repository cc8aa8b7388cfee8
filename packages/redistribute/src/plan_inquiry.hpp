#pragma once

#include <tridap/internal/collectives.hpp>
#include <tridap/internal/directory.hpp>
#include <tridap/internal/plan_data.hpp>
#include <tridap/redistribute/options.hpp>
#include <tridap/redistribute/placed.hpp>

#include <mpi.h>

#include <functional>
#include <optional>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// The two ends of a plan.
struct Sides {
  PlacedDistribution source, target;

  bool has_directory() const {
    return mpi::has_directory(source.distribution()) || mpi::has_directory(target.distribution());
  }
};

/// What the plan of this process has to know of lists that stay on their processes. **Collective**, on processes that
/// have the same sides. Throws the same Error on every process or on none, also if a process brings `faults`.
///
/// Without Mapping::ravel, and if one side alone has such lists, each of its processes finds what it shares with those
/// of the other side, and sends it to them: two collective calls of MPI. Else each process asks where its own elements
/// of one side are on the other side: an Inquiry of both sides.
class PlanInquiry {
 public:
  PlanInquiry(const Sides& sides, Index element_bytes, const Mapping& mapping, MPI_Comm comm, mpi::Faults faults = {});

  /// The plan of this process. Local; throws Error.
  Plan plan() &&;

 private:
  void tell(End listed, mpi::Faults faults);
  void ask(mpi::Faults faults);
  std::vector<std::vector<Piece>> read_told();

  Sides sides_;
  Index element_bytes_;
  Mapping mapping_;
  MPI_Comm comm_;
  std::optional<End> told_by_;                  // a side; nothing: the rest was asked
  std::vector<Message> arrived_;                // what its processes told
  std::vector<std::optional<AxisMoves>> ours_;  // by axis of the target: what this process has of `told_by_`
  std::optional<mpi::Inquiry> asked_;           // of both sides
};

}  // namespace tridap::redistribute

#pragma GCC visibility pop
