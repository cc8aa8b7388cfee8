#include "quick.hpp"
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/gather.hpp>

#include <utility>

namespace tridap::mpi {

namespace {

Verdict confer_over(MPI_Comm comm, const DistArray& array, const Reading& reading, bool want_distribution) {
  Team team(comm);
  std::vector<Member> members;
  collectively(comm, [&] { members.push_back({rank_of(comm), &array, nullptr}); });
  return confer(members, team, reading, want_distribution);
}

}  // namespace

Report check(const DistArray& array, MPI_Comm comm, const Reading& reading) {
  Verdict verdict = confer_over(comm, array, reading, false);
  return agree(std::move(verdict.reports.front()), comm);
}

Distribution gather(const DistArray& array, MPI_Comm comm, const Reading& reading) {
  Index none = 0;
  return gather(array, comm, reading, none);
}

Distribution gather(const DistArray& array, MPI_Comm comm, const Reading& reading, Index& flags) {
  if (std::optional<Distribution> quick = quick_gather(array, comm, reading, flags)) return std::move(*quick);
  Verdict verdict = confer_over(comm, array, reading, true);
  if (!verdict.distribution) throw Error(agree(std::move(verdict.reports.front()), comm));
  must_succeed(MPI_Allreduce(MPI_IN_PLACE, &flags, 1, MPI_INT64_T, MPI_BAND, comm), "MPI_Allreduce");
  return std::move(*verdict.distribution);
}

}  // namespace tridap::mpi
