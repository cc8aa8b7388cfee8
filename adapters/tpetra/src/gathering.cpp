#include "gathering.hpp"

#include "map_parts.hpp"
#include <tridap/internal/call.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/gather_with_flags.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/gather_distribution.hpp>

#include <algorithm>
#include <limits>

namespace tridap::tpetra::detail {

namespace {

bool everywhere(bool here, MPI_Comm comm) { return mpi::reduced(here ? 1 : 0, MPI_LAND, comm) != 0; }

// This process's number in the row-major process grid, from its own dim_data; nothing if these are wrong.
std::optional<Index> place_in_grid(const DimData& dim_data) {
  Index place = 0;
  for (const Dimension& dimension : dim_data) {
    const auto outer = checked_multiply(place, dimension.proc_grid_size);
    if (!outer || dimension.proc_grid_rank < 0 || dimension.proc_grid_rank >= dimension.proc_grid_size)
      return std::nullopt;
    place = *outer + dimension.proc_grid_rank;
  }
  return place;
}

// gather_distribution() over the processes in the grid's order. `ranks` becomes the rank of each process of the grid.
Distribution gather_sorted(const DistArray& array, MPI_Comm comm, std::vector<int>& ranks, Index& flags) {
  const auto rank = static_cast<int>(mpi::rank_of(comm));
  const Index place = place_in_grid(array.dim_data).value_or(rank);
  ranks.resize(static_cast<std::size_t>(mpi::processes_of(comm)));
  MPI_Comm sorted = MPI_COMM_NULL;
  const int split =
      MPI_Comm_split(comm, 0, static_cast<int>(std::min<Index>(place, std::numeric_limits<int>::max())), &sorted);
  mpi::must_succeed_everywhere(split, "MPI_Comm_split", comm);
  struct Freed {
    MPI_Comm& comm;
    ~Freed() { MPI_Comm_free(&comm); }  // a destructor cannot report an error
  } const freed{sorted};
  mpi::gather_all(&rank, 1, ranks.data(), sorted);
  try {
    Distribution gathered = mpi::gather_with_flags(array, sorted, {}, &flags);
    if (std::is_sorted(ranks.begin(), ranks.end())) ranks.clear();
    return gathered;
  } catch (const Error& error) {  // its processes are those of the grid
    std::vector<Finding> findings = error.report().findings();
    for (Finding& finding : findings) {
      if (finding.process) finding.process = ranks[static_cast<std::size_t>(*finding.process)];
      for (ValueElsewhere& other : finding.others) other.process = ranks[static_cast<std::size_t>(other.process)];
    }
    throw Error(Report::from_parts(std::move(findings), error.report().counts()));
  }
}

constexpr int said_bits = 28;
constexpr Index said_mask = (Index{1} << said_bits) - 1;

}  // namespace

Distribution gather_any(const DistArray& array, MPI_Comm comm, bool reorder, std::vector<int>& ranks, Index& flags) {
  try {
    return mpi::gather_inside(array, comm, {}, &flags);
  } catch (const std::exception&) {  // on all processes; it differs if one has no memory for the same Error
    if (!everywhere(reorder, comm)) throw;
  }
  return gather_sorted(array, comm, ranks, flags);
}

Index said(const ArrayMapOptions& options, bool vectors) {
  Digest digest;
  for (const Index value :
       {Index{options.reorder}, Index{options.shared}, static_cast<Index>(options.unstructured_ids),
        options.vectors_axis.value_or(-1), options.index_base, static_cast<Index>(options.numbering), Index{vectors}})
    digest.add(value);
  const Index bits = digest.value() & said_mask;
  return bits << 4 | (~bits & said_mask) << (4 + said_bits);
}

bool all_said_the_same(Index agreed) {
  const Index bits = agreed >> 4 & said_mask, opposites = agreed >> (4 + said_bits) & said_mask;
  return (bits ^ opposites) == said_mask;
}

}  // namespace tridap::tpetra::detail
