#include "agreement.hpp"
#include "mover.hpp"
#include "plan_inquiry.hpp"
#include "whole.hpp"
#include <tridap/check.hpp>
#include <tridap/compare.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/fingerprint.hpp>
#include <tridap/internal/gather_agreed.hpp>
#include <tridap/internal/needs.hpp>
#include <tridap/internal/plan_data.hpp>
#include <tridap/internal/region.hpp>
#include <tridap/internal/typed.hpp>
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
  const int processes = mpi::processes_of(call.comm());
  if (!call.is_same(0)) refuse_different(root, "roots", "pass the same rank on every process", call.comm());
  if (root < 0 || root >= processes)
    refuse("the root is " + std::to_string(root),
           "must be at least 0 and less than the communicator's " + std::to_string(processes) + " processes",
           "pass a rank of the communicator");
}

// Throws Error unless `array` is right and is the part of a process of the distribution.
void need_part_of(const Distribution& distribution, const DistArray& array, Index process) {
  throw_if_wrong(check(array));
  if (const auto found = mismatch(array, distribution, process))
    refuse("the array has " + found->given + ", its distribution has " + found->expected, "",
           "give the result of tridap::mpi::gather_distribution for this array", found->axis);
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

// This process's parts of what is moved once.
struct Parts {
  DistArray source, target;
};

// Makes a move that all processes make alike, between `sides()`; `allocate(sides)` gives this process's parts.
// **Collective**, in one reduction, and in what a PlanInquiry needs; one more if lists are moved in another way than
// Mover::expect() expects.
template <class MakeSides, class Allocate>
void move_once(bool in_directory, const ElementType& type, MPI_Comm comm, DeviceStream stream, MakeSides make_sides,
               Allocate allocate) {
  const std::shared_ptr<NodeContext> context = NodeContext::of(comm);
  const mpi::Channel channel = mpi::channel_of(comm);
  std::optional<Sides> sides;
  Parts parts;
  std::unique_ptr<Mover> mover;
  mpi::Faults faults;
  if (in_directory) sides.emplace(make_sides());  // bookkeeping; else they have lists, which are as large as data
  faults.attempt([&] {
    if (!sides) sides.emplace(make_sides());
    parts = allocate(*sides);
  });
  std::optional<PlanInquiry> inquiry;
  if (in_directory) inquiry.emplace(*sides, type.bytes, Mapping{}, comm, std::exchange(faults, {}));
  if (faults.ok())
    faults.attempt([&] {
      Plan made =
          inquiry ? std::move(*inquiry).plan() : Plan(sides->source, sides->target, type.bytes, mpi::rank_of(comm));
      check_ranks(made, context->processes());
      Options options;
      options.stream = stream;
      auto ready = std::make_unique<Mover>(std::move(made), options, context, channel);
      ready->expect(parts.source, parts.target);
      mover = std::move(ready);
    });
  if (!mover) Mover::object(*context, channel, std::move(faults));
  mover->start(parts.source, parts.target, {});
  mover->finish();
}

// Few processes exchange their parts faster than they pass the whole array on.
bool exchanges_parts(MPI_Comm comm) {
  constexpr int few = 8;
  const std::shared_ptr<NodeContext> context = NodeContext::of(comm);
  if (context->processes() <= few) return true;
  for (int rank = 0; rank < context->processes(); ++rank)
    if (!context->is_near(rank)) return false;
  return true;
}

// What is moved of an array of a distribution: its dictionaries name the indices that by_position() changes.
DistArray moved_of(const DistArray& array, const Distribution& distribution) {
  if (!needs_positions(distribution)) return array;
  DistArray elements;
  elements.buffer = array.buffer;
  return elements;
}

// Gathers on `root`; `everywhere`: all processes get memory for the whole array.
DistArray gather_on(int root, bool everywhere, const DistArray& array, const Distribution& distribution, MPI_Comm comm,
                    DeviceStream stream) {
  const ElementType& type = array.buffer.type;
  const bool here = mpi::rank_of(comm) == root;
  const Distribution moved = by_position(distribution, comm);
  DistArray whole;
  const auto sides = [&]() -> Sides { return {{moved}, {whole_of(moved), {root}}}; };
  move_once(mpi::has_directory(moved), type, comm, stream, sides, [&](const Sides& made) -> Parts {
    if (here || everywhere) whole = part_of(made.target.distribution(), 0, type);
    return {moved_of(array, distribution), here ? whole : DistArray{}};
  });
  if (!needs_positions(distribution)) return whole;
  const Distribution named = named_whole(distribution, comm, everywhere ? std::nullopt : std::optional(root));
  if (here || everywhere) whole.dim_data = named.dim_data(0);
  return whole;
}

// Every process has a target of its own: the elements of one more axis, over which the source stands as often as there
// are processes, at a stride of 0.
DistArray gather_on_each(const DistArray& array, const Distribution& distribution, MPI_Comm comm, DeviceStream stream) {
  const ElementType& type = array.buffer.type;
  const Index processes = distribution.processes();
  DistArray whole;
  std::optional<Distribution> all;
  const auto sides = [&]() -> Sides {
    all.emplace(whole_of(distribution));
    return {{behind(Axis(BlockKind(processes, 1, processes)), distribution)},
            {behind(Axis(BlockKind(processes, processes, 1)), *all)}};
  };
  move_once(false, type, comm, stream, sides, [&](const Sides&) -> Parts {
    whole = part_of(*all, 0, type);
    return {with_axis(array, processes, 0), with_axis(whole, 1, element_count(whole.buffer) * type.bytes)};
  });
  return whole;
}

}  // namespace

// Within a node each process reads the memory of the others. Between nodes the elements come to rank 0, and from there
// along a tree: else each process would send a message to each, and a node get the array as often as it has processes.
// Of lists in directories, only the root must know where each element is.
DistArray gather_agreed(const DistArray& array, const Distribution& distribution, MPI_Comm comm,
                        std::optional<int> root, DeviceStream stream) {
  const mpi::Region region(root ? "tridap::redistribute::gather" : "tridap::redistribute::allgather");
  if (root) return gather_on(*root, false, array, distribution, comm, stream);
  if (!mpi::has_directory(distribution) && exchanges_parts(comm))
    return gather_on_each(array, distribution, comm, stream);
  DistArray whole = gather_on(0, true, array, distribution, comm, stream);
  mpi::broadcast(static_cast<std::byte*>(whole.buffer.data), element_count(whole.buffer) * whole.buffer.type.bytes, 0,
                 comm);
  return whole;
}

DistArray gather(const DistArray& array, MPI_Comm comm, int root, DeviceStream stream) {
  const mpi::Region region("tridap::redistribute::gather");
  const mpi::Call call(comm, "redistribute::gather", {}, [&](mpi::Record& record) { record.add(root); });
  return call.run([&] {
    check_root(root, call);
    return gather_agreed(array, mpi::gather_distribution(array, call.comm()), call.comm(), root, stream);
  });
}

DistArray allgather(const DistArray& array, MPI_Comm comm, DeviceStream stream) {
  const mpi::Region region("tridap::redistribute::allgather");
  const mpi::Call call(comm, "redistribute::allgather");
  return call.run([&] {
    return gather_agreed(array, mpi::gather_distribution(array, call.comm()), call.comm(), std::nullopt, stream);
  });
}

DistArray gather(const DistArray& array, const Distribution& distribution, MPI_Comm comm, int root,
                 DeviceStream stream) {
  const mpi::Region region("tridap::redistribute::gather");
  const mpi::Call call(comm, "redistribute::gather with a distribution", {}, [&](mpi::Record& record) {
    need_processes(distribution, mpi::processes_of(comm));
    need_part_of(distribution, array, mpi::rank_of(comm));
    record.add(root);
    record.add(fingerprint(distribution));
  });
  return call.run([&] {
    check_root(root, call);
    throw_if_plans_differ(call, 1);
    return gather_agreed(array, distribution, call.comm(), root, stream);
  });
}

DistArray allgather(const DistArray& array, const Distribution& distribution, MPI_Comm comm, DeviceStream stream) {
  const mpi::Region region("tridap::redistribute::allgather");
  const mpi::Call call(comm, "redistribute::allgather with a distribution", {}, [&](mpi::Record& record) {
    need_processes(distribution, mpi::processes_of(comm));
    need_part_of(distribution, array, mpi::rank_of(comm));
    record.add(fingerprint(distribution));
  });
  return call.run([&] {
    throw_if_plans_differ(call, 0);
    return gather_agreed(array, distribution, call.comm(), std::nullopt, stream);
  });
}

void scatter_agreed(const ElementType& type, const Distribution& distribution, MPI_Comm comm, int root,
                    DeviceStream stream, const std::function<std::pair<DistArray, DistArray>()>& give) {
  const mpi::Region region("tridap::redistribute::scatter");
  const Distribution moved = by_position(distribution, comm);
  std::optional<Distribution> named;
  if (needs_positions(distribution)) named = named_whole(distribution, comm, root);
  const auto sides = [&]() -> Sides { return {{whole_of(moved), {root}}, {moved}}; };
  move_once(mpi::has_directory(moved), type, comm, stream, sides, [&](const Sides&) -> Parts {
    const auto [whole, part] = give();
    if (named && !whole.dim_data.empty()) need_part_of(*named, whole, 0);
    return {moved_of(whole, distribution), moved_of(part, distribution)};
  });
}

DistArray scatter(const DistArray& whole, const Distribution& distribution, MPI_Comm caller, int root,
                  DeviceStream stream) {
  const mpi::Region region("tridap::redistribute::scatter");
  const mpi::Call call(caller, "redistribute::scatter", {}, [&](mpi::Record& record) {
    record.add(root);
    record.add(fingerprint(distribution));
  });
  return call.run([&] {
    const MPI_Comm comm = call.comm();
    check_root(root, call);
    throw_if_plans_differ(call, 1);
    const Index number = mpi::broadcast(type_number(whole.buffer.type), root, comm);
    const ElementType type = agreed_type(number, whole.buffer.type, comm);
    const Index rank = mpi::rank_of(comm);
    DistArray part;
    scatter_agreed(type, distribution, comm, root, stream, [&] {
      if (rank < distribution.processes()) part = part_of(distribution, rank, type);
      return std::pair(rank == root ? whole : DistArray{}, part);
    });
    return part;
  });
}

}  // namespace tridap::redistribute
