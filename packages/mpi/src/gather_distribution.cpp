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
  const Call call(comm, "mpi::check");
  return call.run([&] {
    if (quick_gather(&array, call.comm(), reading, nullptr, false))
      return Report();  // which takes no array with a warning
    MpiCollectives collectives(call.comm());
    CheckOutcome outcome = check_collectively(member(array, call.comm()), collectives, reading, false);
    return agree(std::move(outcome.reports.front()), call.comm());
  });
}

Distribution gather_distribution(const DistArray& array, MPI_Comm comm, const Reading& reading) {
  return gather_with_flags(array, comm, reading, nullptr);
}

Distribution gather_with_flags(const DistArray& array, MPI_Comm caller, const Reading& reading, Index* flags) {
  const Call call(caller, "mpi::gather_distribution");
  return call.run([&] { return gather_inside(array, call.comm(), reading, flags); });
}

Distribution gather_inside(const DistArray& array, MPI_Comm comm, const Reading& reading, Index* flags) {
  if (std::optional<Distribution> quick = quick_gather(&array, comm, reading, flags)) return std::move(*quick);
  MpiCollectives collectives(comm);
  CheckOutcome outcome = check_collectively(member(array, comm), collectives, reading, true);
  if (!outcome.distribution) throw Error(agree(std::move(outcome.reports.front()), comm));
  return std::move(*outcome.distribution);
}

}  // namespace tridap::mpi
