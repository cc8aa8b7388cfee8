#include "agreement.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/redistribute/gather.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tridap::redistribute {

namespace {

void check_root(int root, const mpi::Call& call) {
  int processes = 1;
  mpi::must_succeed(MPI_Comm_size(call.comm(), &processes), "MPI_Comm_size");
  if (!call.is_same(0)) {
    const MinMax spread = mpi::min_max({root}, call.comm()).front();
    refuse("processes " + std::to_string(std::min(spread.smallest_rank, spread.largest_rank)) + " and " +
               std::to_string(std::max(spread.smallest_rank, spread.largest_rank)) + " give different roots",
           "must be the same on every process", "pass the same rank on every process");
  }
  if (root < 0 || root >= processes)
    refuse("the root is " + std::to_string(root),
           "must be at least 0 and less than the communicator's " + std::to_string(processes) + " processes",
           "pass a rank of the communicator");
}

// The element type that one process has, on every process.
ElementType type_of_root(const ElementType& type, int root, MPI_Comm comm) {
  Index number = type_number(type);
  mpi::must_succeed(MPI_Bcast(&number, 1, MPI_INT64_T, root, comm), "MPI_Bcast");
  return agreed_type(number, type, comm);
}

DistArray part_of(const Distribution& distribution, Index process, const ElementType& type) {
  DistArray part;
  part.dim_data = distribution.dim_data(process);
  part.buffer = allocate(type, distribution.local_shape(process));
  return part;
}

// The axes behind one more, which has an element for each process.
Distribution behind(const Axis& first, const Distribution& distribution) {
  std::vector<Axis> axes = {first};
  for (Index i = 0; i < distribution.ndim(); ++i) axes.push_back(distribution.axis(i));
  return Distribution(std::move(axes));
}

DistArray with_axis(const DistArray& array, Index extent, Index stride) {
  DistArray seen;
  seen.buffer = array.buffer;
  seen.buffer.shape.insert(seen.buffer.shape.begin(), extent);
  seen.buffer.strides.insert(seen.buffer.strides.begin(), stride);
  return seen;
}

}  // namespace

Distribution whole_of(const Distribution& distribution) {
  std::vector<Axis> axes;
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    const auto* listed = std::get_if<UnstructuredKind>(&axis.kind());
    if (listed == nullptr) {
      axes.emplace_back(BlockKind(axis.size(), 1, std::max<Index>(axis.size(), 1)));
      continue;
    }
    std::vector<Index> distinct;
    for (const UnstructuredKind::Entry& entry : listed->entries())
      if (distinct.empty() || distinct.back() != entry.global) distinct.push_back(entry.global);
    const auto count = static_cast<Index>(distinct.size());
    if (count == 0 || (distinct.front() == 0 && distinct.back() == count - 1)) {
      axes.emplace_back(BlockKind(count, 1, std::max<Index>(count, 1)));
    } else {
      axes.emplace_back(UnstructuredKind({std::move(distinct)}, true));
    }
  }
  return Distribution(std::move(axes));
}

DistArray gather(const DistArray& array, MPI_Comm comm, int root) {
  const mpi::Call call(comm, "redistribute::gather", {}, [&](mpi::Record& record) { record.add(root); });
  comm = call.comm();
  check_root(root, call);
  const Distribution distribution = mpi::gather_distribution(array, comm);
  const bool ours = mpi::rank_of(comm) == root;
  DistArray whole;
  const auto [from, to] = mpi::collectively(comm, [&] {
    const Distribution all = whole_of(distribution);
    if (ours) whole = part_of(all, 0, array.buffer.type);
    return std::make_pair(PlacedDistribution(distribution), PlacedDistribution(all, {root}));
  });
  Redistribution(from, to, array.buffer.type.bytes, comm)(array, whole);
  return whole;
}

// Every process has a target of its own: the elements of one more axis, over which the source stands as often as there
// are processes, at a stride of 0.
DistArray allgather(const DistArray& array, MPI_Comm comm) {
  const mpi::Call call(comm, "redistribute::allgather");
  comm = call.comm();
  const Distribution distribution = mpi::gather_distribution(array, comm);
  const Index processes = distribution.processes();
  DistArray whole;
  DistArray source, target;
  const auto [from, to] = mpi::collectively(comm, [&] {
    const Distribution all = whole_of(distribution);
    whole = part_of(all, 0, array.buffer.type);
    source = with_axis(array, processes, 0);
    target = with_axis(whole, 1, element_count(whole.buffer) * whole.buffer.type.bytes);
    return std::make_pair(PlacedDistribution(behind(Axis(BlockKind(processes, 1, processes)), distribution)),
                          PlacedDistribution(behind(Axis(BlockKind(processes, processes, 1)), all)));
  });
  Redistribution(from, to, array.buffer.type.bytes, comm)(source, target);
  return whole;
}

DistArray scatter(const DistArray& whole, const Distribution& distribution, MPI_Comm comm, int root) {
  const mpi::Call call(comm, "redistribute::scatter", {}, [&](mpi::Record& record) { record.add(root); });
  comm = call.comm();
  check_root(root, call);
  const Index rank = mpi::rank_of(comm);
  const ElementType type = type_of_root(whole.buffer.type, root, comm);
  DistArray part;
  DistArray source;
  const auto [from, to] = mpi::collectively(comm, [&] {
    if (rank < distribution.processes()) part = part_of(distribution, rank, type);
    if (rank == root) source = whole;
    return std::make_pair(PlacedDistribution(whole_of(distribution), {root}), PlacedDistribution(distribution));
  });
  Redistribution(from, to, type.bytes, comm)(source, part);
  return part;
}

}  // namespace tridap::redistribute
