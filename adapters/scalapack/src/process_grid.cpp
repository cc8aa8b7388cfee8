#include "blacs.hpp"
#include "contexts.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/placement.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/scalapack/process_grid.hpp>

#include <algorithm>
#include <exception>
#include <limits>
#include <string>
#include <utility>

namespace tridap::scalapack {

namespace {

bool mpi_is_on() {
  int begun = 0, over = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&over);
  return begun != 0 && over == 0;
}

void need_mpi() {
  if (!mpi_is_on())
    refuse("MPI is not initialised, or is finalised", "", "make the grid between MPI_Init and MPI_Finalize");
}

std::vector<Index> first_ranks(Index size, Index nprow, Index npcol, Order order) {
  const auto processes = checked_multiply(std::max<Index>(nprow, 0), std::max<Index>(npcol, 0));
  if (nprow < 1 || npcol < 1 || !processes || *processes > size)
    refuse("the process grid is " + std::to_string(nprow) + " x " + std::to_string(npcol) + " on a communicator of " +
               std::to_string(size) + " processes",
           "must have at least one row and one column, and not more processes than the communicator",
           "use another grid, such as near_square_grid(), or more processes");
  std::vector<Index> ranks;
  for (Index i = 0; i < nprow; ++i)
    for (Index j = 0; j < npcol; ++j) ranks.push_back(order == Order::row_major ? i * npcol + j : i + j * nprow);
  return ranks;
}

// The ranks by place. Throws if these are not ranks of the communicator.
std::vector<Index> ranks_of(Index size, const redistribute::PlacedDistribution& placed) {
  const Distribution& distribution = placed.distribution();
  if (distribution.ndim() != 2)
    refuse("the distribution has " + std::to_string(distribution.ndim()) + " axes", "must have 2",
           "give the distribution of a matrix");
  redistribute::need_ranks(placed, size, "the distribution");
  std::vector<Index> ranks;
  for (Index process = 0; process < distribution.processes(); ++process) ranks.push_back(placed.rank(process));
  return ranks;
}

// Processes along an axis; ranks_of() refuses what does not have two axes.
Index along(const redistribute::PlacedDistribution& placed, Index axis) {
  return placed.distribution().ndim() == 2 ? placed.distribution().axis(axis).proc_grid_size() : 1;
}

// The ranks by place of a context, of which each process says the grid and its own place. Throws the same Error on
// every process.
std::vector<Index> ranks_of_context(const std::vector<int>& all, Index& nprow, Index& npcol) {
  const auto size = static_cast<Index>(all.size() / 4);
  const auto of = [&](Index rank, int what) { return all[static_cast<std::size_t>(4 * rank + what)]; };
  for (Index rank = 0; rank < size; ++rank) {
    nprow = std::max<Index>(nprow, of(rank, 0));
    npcol = std::max<Index>(npcol, of(rank, 1));
  }
  if (nprow < 1 || npcol < 1)
    refuse("no process of the communicator is in the context", "must be the processes of the context",
           "pass the communicator of which the context was made");
  std::vector<Index> ranks(static_cast<std::size_t>(nprow * npcol), -1);
  for (Index rank = 0; rank < size; ++rank) {
    if (of(rank, 2) < 0 || of(rank, 3) < 0) continue;
    if (of(rank, 0) != nprow || of(rank, 1) != npcol)
      refuse("rank " + std::to_string(rank) + " is in another context", "must be one context on all processes",
             "pass the same context on every process that is in it");
    ranks[static_cast<std::size_t>(of(rank, 2) * npcol + of(rank, 3))] = rank;
  }
  if (const auto absent = std::find(ranks.begin(), ranks.end(), -1); absent != ranks.end()) {
    const Index place = absent - ranks.begin();
    refuse("the process at (" + std::to_string(place / npcol) + ", " + std::to_string(place % npcol) +
               ") of the context's grid of " + std::to_string(nprow) + " x " + std::to_string(npcol) +
               " is not in the communicator",
           "must be the processes of the context", "pass the communicator of which the context was made");
  }
  return ranks;
}

// The ranks of a grid down its columns, as the BLACS expect them, from those along the rows.
std::vector<int> ranks_down_columns(Index nprow, Index npcol, const std::vector<Index>& ranks, bool transposed) {
  std::vector<int> down;
  for (Index j = 0; j < npcol; ++j)
    for (Index i = 0; i < nprow; ++i)
      down.push_back(static_cast<int>(ranks[static_cast<std::size_t>(transposed ? j * nprow + i : i * npcol + j)]));
  return down;
}

}  // namespace

ProcessGrid::ProcessGrid(MPI_Comm comm, Index nprow, Index npcol, Order order)
    : ProcessGrid(comm, nprow, npcol, [=](Index size) { return first_ranks(size, nprow, npcol, order); }, {}) {}

ProcessGrid::ProcessGrid(MPI_Comm comm, const redistribute::PlacedDistribution& placed)
    : ProcessGrid(comm, along(placed, 0), along(placed, 1), [&](Index size) { return ranks_of(size, placed); }, {}) {}

ProcessGrid::ProcessGrid(MPI_Comm caller, Index nprow, Index npcol,
                         const std::function<std::vector<Index>(Index)>& ranks, std::optional<int> context)
    : nprow_(nprow), npcol_(npcol), exceptions_(std::uncaught_exceptions()) {
  need_mpi();
  // All processes must make the same grid, or some would wait for ever.
  const mpi::Call call(caller, "ProcessGrid", mpi::Library::blacs, [&](mpi::Record& record) {
    ranks_ = ranks(mpi::processes_of(caller));
    need_started_together(static_cast<Index>(ranks_.size()));
    Digest order;
    order.add_all(ranks_);
    for (const Index number : {nprow_, npcol_, order.value()}) record.add(number);
  });
  call.run([&] {
    if (!call.is_same(0) || !call.is_same(1))
      refuse("the processes give grids of different shapes", "must be the same on all",
             "pass the same numbers on every process");
    if (!call.is_same(2)) refuse_order(call.comm());
    make(call, context);
  });
}

// Throws the Error that says which processes order the ranks differently. **Collective.**
void ProcessGrid::refuse_order(MPI_Comm comm) const {
  std::vector<Index> of_first = ranks_;
  mpi::broadcast(of_first.data(), static_cast<Index>(of_first.size()), 0, comm);
  mpi::collectively(comm, [&] {
    if (of_first != ranks_)
      refuse("this process orders the ranks of the grid differently from rank 0", "must be the same on all",
             "pass the same on every process");
  });
}

void ProcessGrid::make(const mpi::Call& call, std::optional<int> context) {
  const auto found = std::find(ranks_.begin(), ranks_.end(), mpi::rank_of(call.comm()));
  const Index number = found - ranks_.begin();
  if (found != ranks_.end()) place_ = {number / npcol_, number % npcol_};
  mpi::must_succeed(MPI_Comm_split(call.comm(), place_ ? 0 : MPI_UNDEFINED, static_cast<int>(number), &row_major_),
                    "MPI_Comm_split");
  duplicates_ = call.duplicates();
  const int handle = Contexts::of(*duplicates_).handle();
  std::vector<int> down = ranks_down_columns(nprow_, npcol_, ranks_, false),
                   turned = ranks_down_columns(npcol_, nprow_, ranks_, true);
  own_context_ = !context;
  context_ = context ? *context : make_context(handle, nprow_, npcol_, down);
  transposed_ = make_context(handle, npcol_, nprow_, turned);
  open_ = true;
}

MPI_Comm ProcessGrid::comm() const { return duplicates_->caller_or_ours(); }

ProcessGrid ProcessGrid::of_context(int context, MPI_Comm comm) {
  need_mpi();
  int info[4] = {-1, -1, -1, -1};
  const mpi::Call call(comm, "ProcessGrid::of_context", mpi::Library::blacs, [&](mpi::Record&) {
    if (context >= 0) Cblacs_gridinfo(context, &info[0], &info[1], &info[2], &info[3]);
  });
  return call.run([&] {
    std::vector<int> all(static_cast<std::size_t>(4 * mpi::processes_of(call.comm())));
    mpi::gather_all(info, 4, all.data(), call.comm());
    Index nprow = 0, npcol = 0;
    const std::vector<Index> ranks = ranks_of_context(all, nprow, npcol);
    return ProcessGrid(
        call.comm(), nprow, npcol, [&](Index) { return ranks; }, context);
  });
}

ProcessGrid::ProcessGrid(ProcessGrid&& other) noexcept
    : duplicates_(std::move(other.duplicates_)),
      row_major_(other.row_major_),
      nprow_(other.nprow_),
      npcol_(other.npcol_),
      ranks_(std::move(other.ranks_)),
      place_(other.place_),
      context_(other.context_),
      transposed_(other.transposed_),
      open_(std::exchange(other.open_, false)),
      own_context_(other.own_context_),
      exceptions_(other.exceptions_) {}

ProcessGrid::~ProcessGrid() {
  if (std::uncaught_exceptions() <= exceptions_) close();
}

void ProcessGrid::close() {
  if (!std::exchange(open_, false) || !mpi_is_on()) return;
  const mpi::Inside inside(mpi::Library::blacs);
  if (place_) {
    if (own_context_) Cblacs_gridexit(context_);
    Cblacs_gridexit(transposed_);
    MPI_Comm_free(&row_major_);
  }
}

}  // namespace tridap::scalapack
