#include "create.hpp"
#include "fingerprint.hpp"
#include "ga.hpp"
#include "ga_session.hpp"
#include "nearest.hpp"
#include "types.hpp"
#include <tridap/check.hpp>
#include <tridap/compare.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/globalarrays/import.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/copy_elements.hpp>
#include <tridap/internal/gather_with_flags.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/needs.hpp>
#include <tridap/internal/region.hpp>
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

// Whether two valid buffers are the same elements at the same places.
bool same_memory(const Buffer& a, const Buffer& b) {
  if (a.shape != b.shape || a.type != b.type) return false;
  if (element_count(a) == 0) return true;
  bool same = a.data == b.data;
  for (std::size_t i = 0; i < a.shape.size(); ++i) same = same && (a.shape[i] == 1 || a.strides[i] == b.strides[i]);
  return same;
}

// The GlobalArray whose whole part is the buffer of an array, which may still be wrong. If there is none, `reason`
// says why.
GlobalArray array_behind(const DistArray& array, const char*& reason) {
  const Buffer& buffer = array.buffer;
  const std::optional<int> handle = HandlePool::handle_of(buffer.owner);
  reason = "the memory is not that of a Global Array";
  if (!handle) return {};
  reason = "the memory was that of a Global Array, which has been destroyed";
  if (!HandlePool::is_there(buffer.owner)) return {};
  reason = "the memory is that of a Global Array that another library made, and will free";
  GlobalArray found = ga_session().pool.find(*handle);
  if (found.empty()) return {};
  reason = "the memory is that of a Global Array, but it is read-only";
  if (buffer.read_only) return {};
  reason = "the memory is only a section of a Global Array's part";
  const auto form = form_of(found.placed(), found.type(), GA_Pgroup_nnodes(GA_Get_pgroup(*handle)));
  const OwnMemory own = own_memory(*handle, found.placed(), found.type(), form);
  if (!check(buffer).ok() || !same_memory(buffer, own.part)) return {};
  return found;
}

// Whether a Global Array is distributed over the processes of `comm` as the distribution states. Local.
bool is_dealt(const GlobalArray& array, const Distribution& distribution, MPI_Comm comm) {
  const PlacedDistribution& placed = array.placed();
  if (placed.distribution().processes() != distribution.processes()) return false;
  const std::vector<int> ranks = ranks_in(comm, GA_MPI_Comm_pgroup(GA_Get_pgroup(array.handle())));
  for (Index process = 0; process < distribution.processes(); ++process)
    if (placed.rank(process) != ranks[static_cast<std::size_t>(process)]) return false;
  for (Index i = 0; i < distribution.ndim(); ++i)
    if (distribution.axis(i).mirrors() != placed.distribution().axis(i).mirrors()) return false;
  return compare(distribution, placed.distribution()).same_places;
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
  add_lost_keys(array.dim_data, receipt);
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    if (axis.has_edges() && !axis.periodic())
      receipt.losses.push_back("the boundary padding of axis " + std::to_string(i));
    if (!axis.has_edges() && axis.periodic()) receipt.losses.push_back("the period of axis " + std::to_string(i));
  }
}

// Whether every process's memory belongs to one Global Array, which is distributed as `distribution` states.
// **Collective.**
bool is_shared(const GlobalArray& array, const Distribution& distribution, MPI_Comm comm) {
  const Index serial = ga_session().pool.serial(array.handle()), group = GA_Get_pgroup(array.handle());
  std::vector<Index> largest{serial, -serial, group, -group, is_dealt(array, distribution, comm) ? 0 : 1};
  mpi::MpiCollectives(comm).max(largest);
  return largest[0] == -largest[1] && largest[2] == -largest[3] && largest[4] == 0;
}

// The same ownership, with the ranks of the communicator in place of GA's.
PlacedDistribution out_of_group(const PlacedDistribution& placed, const Group& group) {
  std::vector<Index> back(group.ranks.size());
  for (std::size_t r = 0; r < back.size(); ++r) back[static_cast<std::size_t>(group.ranks[r])] = static_cast<Index>(r);
  std::vector<Index> ranks;
  for (Index process = 0; process < placed.distribution().processes(); ++process)
    ranks.push_back(back[static_cast<std::size_t>(placed.rank(process))]);
  return {placed.distribution(), std::move(ranks)};
}

// For copy=never: why the array's memory cannot be used as it is. Local.
[[noreturn]] void refuse_copy(const DistArray& array, const PlacedDistribution& given, MPI_Comm comm) {
  const char* reason = "";
  if (!array_behind(array, reason).empty())
    reason = "the processes' memory is not that of one Global Array with this distribution";
  bool fits = true;
  try {
    const Group group = ga_session().groups.of(comm);
    fits = !why_not(in_group(given, group), array.buffer.type, group.processes(), group.leading);
  } catch (const Error&) {  // GA does not know the processes
  }
  refuse(std::string("copy=never, but ") + reason, "",
         fits ? "pass copy=if_needed, or make the array with allocate()" : "pass copy=if_needed and Fit::nearest");
}

// The distribution that the Global Array shall have, in the ranks of the communicator; std::nullopt: that of the array.
// **Collective.**
std::optional<PlacedDistribution> wanted(const DistArray& array, const PlacedDistribution& given, MPI_Comm comm,
                                         Copy copy, Fit fit) {
  return mpi::collectively(comm, [&]() -> std::optional<PlacedDistribution> {
    const Buffer& buffer = array.buffer;
    if (copy == Copy::never) refuse_copy(array, given, comm);
    need_host_memory(buffer);
    if (HandlePool::handle_of(buffer.owner) && !HandlePool::is_there(buffer.owner))
      refuse("the memory was that of a Global Array, which has been destroyed", "",
             "call destroy() only after the last use of an exported array");
    const Group group = ga_session().groups.of(comm);
    const PlacedDistribution there = in_group(given, group);
    const std::optional<Finding> why = why_not(there, buffer.type, group.processes(), group.leading);
    if (!why) return std::nullopt;
    if (fit == Fit::nearest)
      return out_of_group(nearest_in(there, buffer.type, group.processes(), group.leading), group);
    Finding said = with_nearest(*why, there, buffer.type, group.processes(), group.leading);
    if (said.remedy != why->remedy)
      said.remedy += "; to move the elements there, pass Fit::nearest (in Python nearest=True)";
    throw Error(std::move(said));
  });
}

Index move(const DistArray& array, const PlacedDistribution& from, const PlacedDistribution& to, const DistArray& part,
           MPI_Comm comm) {
  redistribute::Options options;
  options.mapping.fill_padding = true;
  redistribute::Redistribution plan(from, to, array.buffer.type.bytes, comm, options);
  plan(array, part);
  return plan.plan().bytes_kept() + plan.plan().bytes_received();
}

// **Collective.**
ImportedArray copied(const DistArray& array, const PlacedDistribution& given,
                     const std::optional<PlacedDistribution>& other, MPI_Comm comm) {
  const Created made = create_in(other ? *other : given, array.buffer.type, comm);
  ImportedArray imported;
  imported.array = made.array;
  Receipt& receipt = imported.receipt;
  receipt.shared = receipt.same_address = false;
  if (other) {
    DistArray part;
    part.buffer = made.own.part;
    if (made.own.process) part.dim_data = other->distribution().dim_data(*made.own.process);
    receipt.losses.push_back("the distribution: " + describe(given.distribution()));
    receipt.bytes_copied = move(array, given, *other, part, comm);
  } else {
    receipt.bytes_copied = copy_elements(array.buffer, made.own.part);
  }
  add_losses(array, given.distribution(), receipt);
  GA_Pgroup_sync(made.group.number);
  return imported;
}

}  // namespace

ImportedArray import_array(const DistArray& array, MPI_Comm comm, Copy copy, Fit fit) {
  const mpi::Region region("tridap::globalarrays::import_array");
  const mpi::Call call(comm, "globalarrays::import_array", mpi::Library::globalarrays);
  return call.run([&] {
    const double begin = MPI_Wtime();
    ImportedArray imported;
    const char* unused = "";
    if (copy != Copy::always) imported.array = array_behind(array, unused);
    Index shareable =
        imported.array.empty() ? 0 : 1;  // on every process, the memory is the whole part of a GlobalArray
    const PlacedDistribution given(mpi::gather_with_flags(array, call.comm(), Reading::with_all_lists(), &shareable));
    if (shareable != 0 && is_shared(imported.array, given.distribution(), call.comm()))
      add_losses(array, given.distribution(), imported.receipt);
    else
      imported = copied(array, given, wanted(array, given, call.comm(), copy, fit), call.comm());
    imported.receipt.seconds = MPI_Wtime() - begin;
    return imported;
  });
}

DistArray allocate(const PlacedDistribution& placed, const ElementType& type, MPI_Comm comm) {
  const mpi::Call call(comm, "globalarrays::allocate", mpi::Library::globalarrays);
  return call.run([&] {
    const Created made = create_in(placed, type, call.comm());
    DistArray array;
    if (const OwnMemory& own = made.own; own.process) {
      if (element_count(own.whole) > 0)
        std::memset(own.whole.data, 0, static_cast<std::size_t>(element_count(own.whole) * type.bytes));
      const int handle = made.array.handle();
      array.buffer = own.part;
      array.buffer.owner = ga_session().pool.pin(handle, local_memory(handle));
      array.dim_data = made.array.placed().distribution().dim_data(*own.process);
    }
    GA_Pgroup_sync(made.group.number);
    return array;
  });
}

}  // namespace tridap::globalarrays
