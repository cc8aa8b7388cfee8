#include <tridap/detail/refuse.hpp>
#include <tridap/internal/directory.hpp>
#include <tridap/internal/ghost_owners.hpp>
#include <tridap/internal/halo_exchange.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/gather_distribution.hpp>

#include <optional>
#include <string>
#include <utility>

namespace tridap {

namespace {

// The same error on every process, because all have the same distribution.
void check_axes(const Distribution& distribution, Index numbered) {
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    if (axis.has_communication_padding())
      refuse("the array has communication padding", "must have none, because the ghosts take its place",
             "describe the padding as ghosts, or call update_padding for an array without ghosts", i);
    if (i < numbered && axis.shares_indices())
      refuse("an index is on several processes", "must be on one process, which owns the element",
             "list it on one process, and make the copies its ghosts", i);
  }
}

void check_numbered(const GhostedArray& array, MPI_Comm comm) {
  const std::vector<MinMax> of_all = mpi::min_max({array.numbered(), static_cast<Index>(array.order())}, comm);
  const MinMax& numbered = of_all[0];
  if (!of_all[1].is_same())
    refuse("the ids are row-major numbers on some processes, and column-major ones on others",
           "must be the same on every process", "pass the same order on every process");
  if (numbered.is_same()) return;
  refuse("the ids number " + std::to_string(numbered.smallest) + " axes on process " +
             std::to_string(numbered.smallest_rank) + " and " + std::to_string(numbered.largest) + " on process " +
             std::to_string(numbered.largest_rank),
         "must be the same on every process", "pass local buffers with the same number of axes");
}

}  // namespace

CheckedGhosts check_ghosts(const GhostedArray& array, MPI_Comm comm) {
  Distribution distribution = mpi::gather_distribution(array.owned(), comm);
  check_numbered(array, comm);
  check_axes(distribution, array.numbered());
  std::optional<mpi::Inquiry> inquiry;
  if (mpi::has_directory(distribution)) {
    mpi::Faults faults;
    mpi::OfAxes indices(static_cast<std::size_t>(distribution.ndim()));
    faults.attempt([&] { indices = indices_of_ghosts(array, distribution); });
    inquiry.emplace(
        distribution, std::move(indices), comm, [](Index process) { return process; }, std::move(faults));
  }
  std::vector<Wanted> wanted = mpi::collectively(comm, [&] {
    if (inquiry) distribution = inquiry->learned();
    redistribute::need_halo_memory(array.local(), "the local buffer", "ghosts are");
    return find_owners(array, distribution, mpi::rank_of(comm));
  });
  return {std::move(distribution), std::move(wanted)};
}

}  // namespace tridap
