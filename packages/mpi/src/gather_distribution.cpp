#include "quick.hpp"
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_check.hpp>
#include <tridap/internal/duplicates.hpp>
#include <tridap/internal/gather_with_flags.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/gather_distribution.hpp>

#include <utility>

namespace tridap::mpi {

namespace {

CheckOutcome check_over(MPI_Comm comm, const DistArray& array, const Reading& reading, bool want_distribution) {
  MpiCollectives collectives(comm);
  std::vector<LocalArray> members;
  collectively(comm, [&] { members.push_back({rank_of(comm), &array, nullptr}); });
  return check_collectively(members, collectives, reading, want_distribution);
}

}  // namespace

Report check(const DistArray& array, MPI_Comm comm, const Reading& reading) {
  comm = ours(comm);
  CheckOutcome outcome = check_over(comm, array, reading, false);
  return agree(std::move(outcome.reports.front()), comm);
}

Distribution gather_distribution(const DistArray& array, MPI_Comm comm, const Reading& reading) {
  Index none = 0;
  return gather_with_flags(array, comm, reading, none);
}

Distribution gather_with_flags(const DistArray& array, MPI_Comm comm, const Reading& reading, Index& flags) {
  comm = ours(comm);
  if (std::optional<Distribution> quick = quick_gather(array, comm, reading, flags)) return std::move(*quick);
  CheckOutcome outcome = check_over(comm, array, reading, true);
  if (!outcome.distribution) throw Error(agree(std::move(outcome.reports.front()), comm));
  must_succeed(MPI_Allreduce(MPI_IN_PLACE, &flags, 1, MPI_INT64_T, MPI_BAND, comm), "MPI_Allreduce");
  return std::move(*outcome.distribution);
}

}  // namespace tridap::mpi
