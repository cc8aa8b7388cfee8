#include "copy.hpp"
#include "create.hpp"
#include "ga.hpp"
#include "handle_pool.hpp"
#include "memory.hpp"
#include "named.hpp"
#include "nearest.hpp"
#include "types.hpp"
#include <tridap/check.hpp>
#include <tridap/compare.hpp>
#include <tridap/globalarrays/import.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/gather_with_flags.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/memory_order.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace tridap::globalarrays {

namespace {

using redistribute::PlacedDistribution;

// Flags of gather_with_flags().
constexpr Index shareable = 1;  // the memory is the whole part of a GlobalArray
constexpr Index looked = 2;     // this has been determined

// Whether two valid buffers are the same elements at the same places.
bool same_memory(const Buffer& a, const Buffer& b) {
  if (a.shape != b.shape || a.type != b.type) return false;
  if (element_count(a) == 0) return true;
  bool same = a.data == b.data;
  for (std::size_t i = 0; i < a.shape.size(); ++i) same = same && (a.shape[i] == 1 || a.strides[i] == b.strides[i]);
  return same;
}

// The GlobalArray whose whole part is the buffer of an array, which may still be wrong. If there is none, `why_not`
// says why.
GlobalArray array_behind(const DistArray& array, const char*& why_not) {
  const Buffer& buffer = array.buffer;
  const std::optional<int> handle = HandlePool::handle_of(buffer.owner);
  why_not = "the memory is not that of a Global Array";
  if (!handle) return {};
  why_not = "the memory was that of a Global Array, which has been destroyed";
  if (!HandlePool::is_there(buffer.owner)) return {};
  why_not = "the memory is that of a Global Array that another library made, and will free";
  const GlobalArray found = HandlePool::all().find(*handle);
  if (found.empty()) return {};
  why_not = "the memory is that of a Global Array, but it is read-only";
  if (buffer.read_only) return {};
  why_not = "the memory is only a section of a Global Array's part";
  if (!check(buffer).ok() || !same_memory(buffer, own_part(found))) return {};
  return found;
}

// By rank in a communicator: the rank among a Global Array's processes.
std::vector<int> ranks_in(const GlobalArray& array, MPI_Comm comm) {
  int count = 0;
  mpi::must_succeed(MPI_Comm_size(comm, &count), "MPI_Comm_size");
  std::vector<int> ranks(static_cast<std::size_t>(count)), theirs(ranks.size());
  for (int r = 0; r < count; ++r) ranks[static_cast<std::size_t>(r)] = r;
  MPI_Group here = MPI_GROUP_NULL, there = MPI_GROUP_NULL;
  mpi::must_succeed(MPI_Comm_group(comm, &here), "MPI_Comm_group");
  mpi::must_succeed(MPI_Comm_group(GA_MPI_Comm_pgroup(GA_Get_pgroup(array.handle())), &there), "MPI_Comm_group");
  mpi::must_succeed(MPI_Group_translate_ranks(here, count, ranks.data(), there, theirs.data()),
                    "MPI_Group_translate_ranks");
  mpi::must_succeed(MPI_Group_free(&here), "MPI_Group_free");
  mpi::must_succeed(MPI_Group_free(&there), "MPI_Group_free");
  return theirs;
}

bool same_periods(const Axis& a, const Axis& b) {
  const auto edges = [](const Axis& axis) {
    const auto* block = std::get_if<BlockKind>(&axis.kind());
    return axis.periodic() && block != nullptr ? block->edges() : std::array<Index, 2>{0, 0};
  };
  return edges(a) == edges(b);
}

// Whether a Global Array is distributed over the processes of `comm` as the distribution states. Local.
bool is_dealt(const GlobalArray& array, const Distribution& distribution, MPI_Comm comm) {
  const PlacedDistribution& placed = array.placed();
  if (placed.distribution.processes() != distribution.processes()) return false;
  const std::vector<int> ranks = ranks_in(array, comm);
  for (Index process = 0; process < distribution.processes(); ++process)
    if (placed.rank(process) != ranks[static_cast<std::size_t>(process)]) return false;
  for (Index i = 0; i < distribution.ndim(); ++i)
    if (!same_periods(distribution.axis(i), placed.distribution.axis(i))) return false;
  return compare(distribution, placed.distribution).same_places;
}

// Whether the axes are stored in GA's order. Axes of one element may be anywhere.
bool is_outermost_first(const Buffer& buffer) {
  std::vector<Index> axes = memory_order(buffer).axes;
  const auto alone = [&](Index axis) { return buffer.shape[static_cast<std::size_t>(axis)] == 1; };
  axes.erase(std::remove_if(axes.begin(), axes.end(), alone), axes.end());
  return std::is_sorted(axes.begin(), axes.end());
}

void add_losses(const DistArray& array, const Distribution& distribution, Receipt& receipt) {
  if (!built_in(array.buffer.type))
    receipt.losses.push_back("the element type " + array.buffer.type.name() + ", of which GA knows only the length");
  if (!receipt.shared && !is_outermost_first(array.buffer)) receipt.losses.push_back("the storage order");
  for (const Dimension& dimension : array.dim_data)
    for (const Extra& extra : dimension.extras) receipt.losses.push_back("the key '" + extra.key + "'");
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    const auto* block = std::get_if<BlockKind>(&axis.kind());
    const bool edges = block != nullptr && block->is_padded() && block->edges() != std::array<Index, 2>{0, 0};
    if (edges && !axis.periodic()) receipt.losses.push_back("the boundary padding of axis " + std::to_string(i));
    if (!edges && axis.periodic()) receipt.losses.push_back("the period of axis " + std::to_string(i));
  }
}

// Shares the Global Array to which every process's memory belongs. False: they are different ones, or it is not
// distributed as `distribution` states. **Collective.**
bool share(ImportedArray& imported, const DistArray& array, const Distribution& distribution, MPI_Comm comm) {
  Index serial = 0, group = 0;
  bool dealt = false;
  mpi::Faults faults;
  faults.attempt([&] {
    serial = HandlePool::all().serial(imported.array.handle());
    group = GA_Get_pgroup(imported.array.handle());
    dealt = is_dealt(imported.array, distribution, comm);
    add_losses(array, distribution, imported.receipt);
  });
  std::array<Index, 6> largest{serial, -serial, group, -group, dealt ? 0 : 1, faults.ok() ? 0 : 1};
  mpi::must_succeed(MPI_Allreduce(MPI_IN_PLACE, largest.data(), 6, MPI_INT64_T, MPI_MAX, comm), "MPI_Allreduce");
  if (largest[5] != 0) mpi::throw_faults(std::move(faults), comm);
  return largest[0] == -largest[1] && largest[2] == -largest[3] && largest[4] == 0;
}

// The same ownership, with the ranks of the communicator in place of GA's.
PlacedDistribution out_of_group(const PlacedDistribution& placed, const Group& group) {
  std::vector<Index> back(group.ranks.size());
  for (std::size_t r = 0; r < back.size(); ++r) back[static_cast<std::size_t>(group.ranks[r])] = static_cast<Index>(r);
  PlacedDistribution translated{placed.distribution, {}};
  for (Index process = 0; process < placed.distribution.processes(); ++process)
    translated.ranks.push_back(back[static_cast<std::size_t>(placed.rank(process))]);
  return translated;
}

// Whether GA can hold a distribution on the processes of a communicator; true if GA does not know these. Local.
bool can_hold(const PlacedDistribution& given, const ElementType& type, MPI_Comm comm) {
  const std::optional<Group> group = GA_Initialized() == 0 ? std::nullopt : group_of(comm);
  if (!group) return true;
  const auto processes = static_cast<Index>(group->ranks.size());
  return std::holds_alternative<Form>(form_of(in_group(given, *group), type, processes, group->leading));
}

// The distribution that the Global Array shall have, in the ranks of the communicator; std::nullopt: that of the array.
// **Collective.**
std::optional<PlacedDistribution> wanted(const DistArray& array, const PlacedDistribution& given, MPI_Comm comm,
                                         Copy copy, Fit fit) {
  return mpi::collectively(comm, [&]() -> std::optional<PlacedDistribution> {
    const Buffer& buffer = array.buffer;
    if (copy == Copy::never) {
      const char* why_not = "";
      if (!array_behind(array, why_not).empty())
        why_not = "the processes' memory is not that of one Global Array with this distribution";
      refuse(std::string("copy=never, but ") + why_not, "",
             can_hold(given, buffer.type, comm) ? "pass copy=if_needed, or make the array with allocate()"
                                                : "pass copy=if_needed and Fit::nearest");
    }
    if (!buffer.memory.is_on_host())
      refuse("the buffer is in " + buffer.memory.name() + " memory, and Global Arrays uses host memory", "",
             "give an array in host memory");
    if (HandlePool::handle_of(buffer.owner) && !HandlePool::is_there(buffer.owner))
      refuse("the memory was that of a Global Array, which has been destroyed", "",
             "call destroy() only after the last use of an exported array");
    const Group group = require_group(comm);
    const auto processes = static_cast<Index>(group.ranks.size());
    const PlacedDistribution there = in_group(given, group);
    const std::variant<Form, Finding> answer = form_of(there, buffer.type, processes, group.leading);
    const auto* const why = std::get_if<Finding>(&answer);
    if (why == nullptr) return std::nullopt;
    if (fit == Fit::exact) {
      Finding said = with_nearest(*why, there, buffer.type, processes, group.leading);
      if (said.remedy != why->remedy)
        said.remedy += "; to move the elements there, pass Fit::nearest (in Python nearest=True)";
      throw Error(std::move(said));
    }
    return out_of_group(nearest_in(there, buffer.type, processes, group.leading), group);
  });
}

Index move(const DistArray& array, const PlacedDistribution& from, const PlacedDistribution& to, const DistArray& part,
           MPI_Comm comm) {
  redistribute::Options options;
  options.mapping.fill_padding = true;
  redistribute::Redistribution plan(from, to, array.buffer.type.bytes, comm, options);
  plan(array, part);
  return mpi::collectively(comm, [&] { return plan.plan().bytes_kept() + plan.plan().bytes_received(); });
}

// **Collective.**
ImportedArray copied(const DistArray& array, const PlacedDistribution& given,
                     const std::optional<PlacedDistribution>& other, MPI_Comm comm) {
  const Created made = create_in(other ? *other : given, array.buffer.type, comm);
  ImportedArray imported;
  imported.array = made.array;
  Receipt& receipt = imported.receipt;
  receipt.shared = receipt.same_address = false;
  DistArray part;
  mpi::collectively(comm, [&] {
    if (other) {
      if (const std::optional<Index> process = other->process(mpi::rank_of(comm))) {
        part.buffer = own_part(made.array, made.form);
        part.dim_data = other->distribution.dim_data(*process);
      }
    } else {
      receipt.bytes_copied = copy_elements(array.buffer, own_part(made.array, made.form));
    }
    if (other) receipt.losses.push_back("the distribution: " + describe(given.distribution));
    add_losses(array, given.distribution, receipt);
  });
  if (other) receipt.bytes_copied = move(array, given, *other, part, comm);
  GA_Pgroup_sync(made.group.number);
  return imported;
}

}  // namespace

ImportedArray import_array(const DistArray& array, MPI_Comm comm, Copy copy, Fit fit) {
  const mpi::Call call(comm, "globalarrays::import_array", mpi::Library::globalarrays);
  comm = call.comm();
  const double begin = MPI_Wtime();
  ImportedArray imported;
  mpi::Faults faults;
  if (copy != Copy::always)
    faults.attempt([&] {
      const char* why_not = "";
      imported.array = array_behind(array, why_not);
    });
  Index flags = (faults.ok() ? looked : 0) | (imported.array.empty() ? 0 : shareable);
  const PlacedDistribution given(mpi::gather_with_flags(array, comm, {}, flags));
  if ((flags & looked) == 0) mpi::throw_faults(std::move(faults), comm);
  if ((flags & shareable) == 0 || !share(imported, array, given.distribution, comm))
    imported = copied(array, given, wanted(array, given, comm, copy, fit), comm);
  imported.receipt.seconds = MPI_Wtime() - begin;
  return imported;
}

DistArray allocate(const PlacedDistribution& placed, const ElementType& type, MPI_Comm comm) {
  const mpi::Call call(comm, "globalarrays::allocate", mpi::Library::globalarrays);
  comm = call.comm();
  const Created made = create_in(placed, type, comm);
  DistArray array = mpi::collectively(comm, [&] {
    DistArray part;
    const std::optional<Index> process = own_process(made.array);
    if (!process) return part;
    const Buffer whole = own_memory(made.array, made.form);
    if (element_count(whole) > 0)
      std::memset(whole.data, 0, static_cast<std::size_t>(element_count(whole) * type.bytes));
    part.buffer = own_part(made.array, made.form);
    part.buffer.owner = HandlePool::all().pin(made.array.handle(), local_memory(made.array.handle()));
    part.dim_data = made.array.placed().distribution.dim_data(*process);
    return part;
  });
  GA_Pgroup_sync(made.group.number);
  return array;
}

}  // namespace tridap::globalarrays
