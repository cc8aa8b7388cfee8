#include "whole.hpp"

#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/directory.hpp>
#include <tridap/internal/exchange.hpp>
#include <tridap/internal/gather_agreed.hpp>
#include <tridap/internal/own_positions.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/redistribute/gather.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace tridap::redistribute {

namespace {

// How many indices of an axis a process has that has gathered it.
Index whole_count(const Axis& axis) {
  const auto* const listed = axis.unstructured();
  return listed != nullptr ? listed->distinct() : axis.size();
}

// Whether the gathered indices are 0, 1, 2, ...
bool counts_from_0(const Axis& axis) {
  const auto* const listed = axis.unstructured();
  return listed == nullptr || listed->distinct() == 0 ||
         listed->extremes() == std::array<Index, 2>{0, listed->distinct() - 1};
}

// The one part of an axis that is gathered: all of its indices, and of lists the distinct ones, ascending.
Axis whole_of(const Axis& axis) {
  const Index count = whole_count(axis);
  if (counts_from_0(axis)) return Axis(BlockKind(count, 1, std::max<Index>(count, 1)));
  std::vector<Index> distinct;
  for (const UnstructuredKind::Entry& entry : axis.unstructured()->entries())
    if (distinct.empty() || distinct.back() != entry.global) distinct.push_back(entry.global);
  return Axis(UnstructuredKind({std::move(distinct)}, true));
}

bool is_changed(const Axis& axis) { return own_of(axis) != nullptr && !counts_from_0(axis); }

// The axis of the positions of indices. It has no directory: where its moves go, blocks say.
Axis with_positions(const Axis& axis, const KnownPositions* known) {
  const UnstructuredKind::Own& own = *own_of(axis);
  const auto position = [&](Index global) {
    if (known == nullptr || known->positions.empty()) return global - own.extremes[0];
    const auto at = std::lower_bound(known->indices.begin(), known->indices.end(), global);
    return known->positions[static_cast<std::size_t>(at - known->indices.begin())];
  };
  auto made = std::make_shared<UnstructuredKind::Own>();
  made->coordinate = own.coordinate;
  made->counts = own.counts;
  made->distinct = own.distinct;
  made->extremes = {0, own.distinct - 1};
  made->ends = own.ends;
  made->list.reserve(own.list.size());
  for (const Index global : own.list) made->list.push_back(position(global));
  made->entries.reserve(own.entries.size());
  for (const UnstructuredKind::Entry& entry : own.entries)
    made->entries.push_back({position(entry.global), entry.place});
  return listed_axis(UnstructuredKind(std::move(made), axis.unstructured()->one_to_one()), axis.size(),
                     axis.periodic());
}

// All indices of a directory, on `root`. **Collective.**
std::vector<Index> all_indices(const UnstructuredKind::Own& own, MPI_Comm comm, int root) {
  const Index rank = mpi::rank_of(comm);
  std::vector<Message> stored;
  mpi::Faults faults;
  faults.attempt([&] {
    stored.push_back({rank, root, static_cast<const mpi::Directory&>(*own.directory).stored_indices()});
  });
  const std::vector<Message> arrived = mpi::exchange(std::move(stored), comm, std::move(faults));
  return mpi::collectively(comm, [&] {
    std::vector<Index> all;
    if (rank == root) all.reserve(static_cast<std::size_t>(own.distinct));
    for (const Message& message : arrived) all.insert(all.end(), message.content.begin(), message.content.end());
    std::sort(all.begin(), all.end());
    return all;
  });
}

}  // namespace

Distribution whole_of(const Distribution& distribution) {
  std::vector<Axis> axes;
  for (Index i = 0; i < distribution.ndim(); ++i) axes.push_back(whole_of(distribution.axis(i)));
  return Distribution(std::move(axes));
}

std::vector<Index> whole_shape(const Distribution& distribution) {
  std::vector<Index> shape;
  for (Index i = 0; i < distribution.ndim(); ++i) shape.push_back(whole_count(distribution.axis(i)));
  return shape;
}

bool needs_positions(const Distribution& distribution) {
  for (Index i = 0; i < distribution.ndim(); ++i)
    if (is_changed(distribution.axis(i))) return true;
  return false;
}

Distribution by_position(const Distribution& distribution, MPI_Comm comm) {
  if (!needs_positions(distribution)) return distribution;
  const PositionsOfAxes known = mpi::own_positions(distribution, comm);
  return mpi::collectively(comm, [&] {
    std::vector<Axis> axes;
    for (Index i = 0; i < distribution.ndim(); ++i) {
      const Axis& axis = distribution.axis(i);
      const KnownPositions* const positions = known ? &(*known)[static_cast<std::size_t>(i)] : nullptr;
      axes.push_back(is_changed(axis) ? with_positions(axis, positions) : axis);
    }
    return Distribution(std::move(axes));
  });
}

Distribution named_whole(const Distribution& distribution, MPI_Comm comm, std::optional<int> root) {
  std::vector<Axis> axes;
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    if (!is_changed(axis)) {
      axes.push_back(mpi::collectively(comm, [&] { return whole_of(axis); }));  // it may have a list
      continue;
    }
    const Index count = whole_count(axis);
    std::vector<Index> all = all_indices(*own_of(axis), comm, root.value_or(0));
    if (!root) {
      mpi::collectively(comm, [&] { all.resize(static_cast<std::size_t>(count)); });
      mpi::broadcast(all.data(), count, 0, comm);
    }
    axes.push_back(mpi::collectively(comm, [&] {
      return all.empty() ? Axis(BlockKind(count, 1, count)) : Axis(UnstructuredKind({std::move(all)}, true));
    }));
  }
  return Distribution(std::move(axes));
}

}  // namespace tridap::redistribute
