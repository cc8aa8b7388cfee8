#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/directory.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/plan_data.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/redistribute/relabel_collectively.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace tridap::redistribute {

namespace {

// From process 0; all have as many ranks.
void broadcast(Relabelling& found, MPI_Comm comm) {
  std::vector<Index> numbers = {found.bytes_kept, found.bytes_kept_before, found.most_bytes_kept, found.exact};
  numbers.insert(numbers.end(), found.ranks.begin(), found.ranks.end());
  mpi::broadcast(numbers.data(), static_cast<Index>(numbers.size()), 0, comm);
  found = {{numbers.begin() + 4, numbers.end()}, numbers[0], numbers[1], numbers[2], numbers[3] != 0};
}

// The same, with all lists on every process. **Collective**, if they are in a directory.
PlacedDistribution with_all_lists(const PlacedDistribution& placed, MPI_Comm comm) {
  if (!mpi::has_directory(placed.distribution())) return placed;
  return {mpi::completed(placed.distribution(), comm), placed.ranks()};
}

}  // namespace

Relabelled relabel_collectively(const PlacedDistribution& source, const PlacedDistribution& target, Index element_bytes,
                                MPI_Comm comm, const Mapping& mapping, Index most_pairs) {
  Relabelling found;
  int processes = 0;
  // One process works, because all would find the same. The others check their arguments.
  const auto find = [&](const PlacedDistribution& from, const PlacedDistribution& to) {
    if (mpi::rank_of(comm) == 0) {
      found = relabel(from, to, element_bytes, processes, mapping, most_pairs);
    } else {
      check_relabel(from, to, element_bytes, processes);
      found.ranks.resize(at(to.distribution().processes()));
    }
  };
  const bool in_directory = mpi::has_directory(source.distribution()) || mpi::has_directory(target.distribution());
  enum { parts_of_target, of_source, of_target };
  const mpi::Call call(comm, "redistribute::relabel_collectively", {}, [&](mpi::Record& record) {
    processes = mpi::processes_of(comm);
    if (!in_directory) find(source, target);
    record.add(target.distribution().processes());
    record.add(mpi::said_of_directory(source.distribution()));
    record.add(mpi::said_of_directory(target.distribution()));
  });
  comm = call.comm();
  const Index rank = mpi::rank_of(comm);
  if (!call.is_same(parts_of_target))
    refuse("the processes give targets with different numbers of parts", "must be the same on every process",
           "pass the same target on every process");
  mpi::need_same_directory(call, of_source);
  mpi::need_same_directory(call, of_target);
  if (in_directory)
    call.run([&] {
      const PlacedDistribution from = with_all_lists(source, comm), to = with_all_lists(target, comm);
      mpi::collectively(comm, [&] { find(from, to); });
    });
  call.run([&] { broadcast(found, comm); });
  const auto parts = static_cast<Index>(found.ranks.size());
  const auto place = std::find(found.ranks.begin(), found.ranks.end(), rank);
  const Index key = place != found.ranks.end() ? place - found.ranks.begin() : parts + rank;
  Relabelled out{std::move(found), MPI_COMM_NULL};
  const int split = MPI_Comm_split(comm, 0, static_cast<int>(key), &out.comm);
  mpi::must_succeed_everywhere(split, "MPI_Comm_split", comm);
  return out;
}

}  // namespace tridap::redistribute
