#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/collective_check.hpp>
#include <tridap/internal/gather_with_flags.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/quick_gather.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/gather_distribution.hpp>

#include <utility>

namespace tridap::mpi {

namespace {

// What check_collectively() needs of this process.
std::vector<LocalArray> member(const DistArray& array, MPI_Comm comm) { return {{rank_of(comm), &array, nullptr}}; }

}  // namespace

Report check(const DistArray& array, MPI_Comm comm, const Reading& reading) {
  std::vector<LocalArray> members;
  const Call call(comm, "mpi::check", {}, [&](Record&) { members = member(array, comm); });
  comm = call.comm();
  MpiCollectives collectives(comm);
  CheckOutcome outcome = check_collectively(members, collectives, reading, false);
  return agree(std::move(outcome.reports.front()), comm);
}

Distribution gather_distribution(const DistArray& array, MPI_Comm comm, const Reading& reading) {
  Index none = 0;
  return gather_with_flags(array, comm, reading, none);
}

Distribution gather_with_flags(const DistArray& array, MPI_Comm comm, const Reading& reading, Index& flags) {
  std::vector<LocalArray> members;
  const Call call(comm, "mpi::gather_distribution");
  comm = call.comm();
  if (std::optional<Distribution> quick = quick_gather(&array, comm, reading, flags)) return std::move(*quick);
  collectively(comm, [&] { members = member(array, comm); });
  MpiCollectives collectives(comm);
  CheckOutcome outcome = check_collectively(members, collectives, reading, true);
  if (!outcome.distribution) throw Error(agree(std::move(outcome.reports.front()), comm));
  must_succeed(MPI_Allreduce(MPI_IN_PLACE, &flags, 1, MPI_INT64_T, MPI_BAND, comm), "MPI_Allreduce");
  return std::move(*outcome.distribution);
}

}  // namespace tridap::mpi
