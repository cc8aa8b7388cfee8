#include "create.hpp"

#include "fingerprint.hpp"
#include "ga.hpp"
#include "ga_session.hpp"
#include "nearest.hpp"
#include "room.hpp"
#include "types.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/globalarrays/import.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/placement.hpp>
#include <tridap/internal/room.hpp>
#include <tridap/mpi/agree.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace tridap::globalarrays {

namespace {

using redistribute::PlacedDistribution;

// A number that is computed from all arguments. It is equal for equal ownership that is described in the same way.
Index digest(const PlacedDistribution& placed, const ElementType& type) {
  Digest digest;
  digest.add(redistribute::fingerprint(placed));
  digest.add(static_cast<Index>(type.kind));
  digest.add(type.bytes);
  digest.add(type.native_order ? 1 : 0);
  digest.add(type.description_number());
  return digest.value();
}

Index bytes_of(const PlacedDistribution& placed, const Form& form, const ElementType& type, Index process) {
  std::vector<Index> factors = extent(placed, form, process).shape;
  factors.push_back(type.bytes);
  return checked_product(factors).value_or(0);  // it fits: see form_of()
}

// GA has `count` handles. It returns the lowest free one, and aborts if none is free.
bool has_free_handle() {
  constexpr int first = -1000, count = 32768;
  for (int handle = first + count; handle-- > first;)
    if (GA_Verify_handle(handle) == 0) return true;
  return false;
}

// Throws if GA has no free handle, or the node too little memory, because GA would abort. Returns whether the node has
// much more memory than needed. Local.
bool has_ample_room(const PlacedDistribution& placed, const Form& form, const ElementType& type, const Group& group,
                    const std::vector<int>& node) {
  std::vector<Index> wanted(group.ranks.size(), 0);
  for (Index process = 0; process < placed.distribution().processes(); ++process)
    wanted[static_cast<std::size_t>(placed.rank(process))] = bytes_of(placed, form, type, process);
  const Index bytes = wanted[static_cast<std::size_t>(GA_Pgroup_nodeid(group.number))];
  std::optional<Index> on_node = 0;
  for (const int rank : node)
    if (on_node) on_node = checked_add(*on_node, wanted[static_cast<std::size_t>(rank)]);
  const Room room =
      on_node ? room_for(*on_node, node.size() > 1) : Room{"the bytes of a node's processes do not fit 64 bits", false};
  if (!has_free_handle())
    refuse("Global Arrays has 32768 arrays and cannot have more", "", "release some arrays, and call collect()");
  if (!room.missing.empty())
    refuse("Global Arrays has no room for " + std::to_string(bytes) + " bytes: " + room.missing, "",
           "release other arrays, or use more nodes");
  if (GA_Memory_limited() != 0 && static_cast<Index>(GA_Memory_avail()) < bytes)
    refuse("the memory limit of Global Arrays leaves " + std::to_string(GA_Memory_avail()) +
               " bytes, and the array needs " + std::to_string(bytes),
           "", "raise the limit of GA_Set_memory_limit, or release other arrays");
  return room.ample;
}

// A fence of GA on a group aborts if a process has an array of a second group, and the second group lacks a process of
// the first.
void check_fences(const Group& group) {
  if (group.number == GA_Pgroup_get_world() || !ga_session().pool.keeps_of_others(group.number)) return;
  refuse("the process has arrays of another group, and GA's fences abort if a process has arrays of two groups", "",
         "release the other group's arrays, and call collect()");
}

static_assert(std::is_same_v<Index, int64_t>);  // so GA reads the form's numbers in place; it does not change them

void set_distribution(int handle, Form& form) {
  if (form.kind == Form::Kind::cyclic)
    return GA_Set_block_cyclic_proc_grid64(handle, form.blocks.data(), form.grid.data());
  if (form.kind == Form::Kind::tiled)
    return GA_Set_tiled_irreg_proc_grid64(handle, form.map.data(), form.blocks.data(), form.grid.data());
  GA_Set_irreg_distr64(handle, form.map.data(), form.blocks.data());
  if (!form.owners.empty()) GA_Set_restricted(handle, form.owners.data(), static_cast<int>(form.owners.size()));
  if (form.has_ghosts) GA_Set_ghosts64(handle, form.widths.data());
}

// The caller has checked everything. **Collective** over the group.
int allocate_handle(Form& form, int type, int group) {
  const int handle = GA_Create_handle();
  GA_Set_data64(handle, static_cast<int>(form.dims.size()), form.dims.data(), type);
  GA_Set_pgroup(handle, group);
  set_distribution(handle, form);
  const int before = GA_Pgroup_get_default();
  GA_Pgroup_set_default(
      GA_Pgroup_get_world());  // for an array on all processes, GA_Allocate synchronises the default group
  const int allocated = GA_Allocate(handle);
  GA_Pgroup_set_default(before);
  if (allocated == 0)  // the same on every process; the handle no longer exists
    refuse("Global Arrays could not allocate the array", "", "release other arrays, or use more nodes");
  return handle;
}

}  // namespace

PlacedDistribution in_group(const PlacedDistribution& placed, const Group& group) {
  redistribute::need_ranks(placed, group.processes(), "the array");
  std::vector<Index> ranks;
  for (Index process = 0; process < placed.distribution().processes(); ++process)
    ranks.push_back(group.ranks[static_cast<std::size_t>(placed.rank(process))]);
  return {placed.distribution(), std::move(ranks)};
}

OwnMemory own_memory(int handle, const PlacedDistribution& placed, const ElementType& type, const Form& form) {
  OwnMemory own;
  own.process = placed.process(GA_Pgroup_nodeid(GA_Get_pgroup(handle)));
  if (!own.process) return own;
  const Extent all = extent(placed, form, *own.process);
  own.whole.type = type;
  own.whole.shape = all.shape;
  own.whole.strides = row_major_strides(own.whole.shape, type.bytes);
  if (element_count(own.whole) > 0) own.whole.data = local_memory(handle);
  own.part = sub_buffer(own.whole, all.box);
  return own;
}

Created create_in(const PlacedDistribution& placed, const ElementType& type, MPI_Comm comm) {
  Created made;
  Group& group = made.group;
  std::optional<PlacedDistribution> there;  // in GA's ranks
  const mpi::Call call(comm, "globalarrays::create", mpi::Library::globalarrays, [&](mpi::Record& record) {
    group = ga_session().groups.of(comm);
    check_fences(group);
    there = in_group(placed, group);
    made.form = need_form(*there, type, group.processes(), group.leading);
    record.add(digest(*there, type));
  });
  return call.run([&] {
    if (!call.is_same(0))
      refuse("the processes gave different distributions or element types", "", "give the same on every process");
    ga_session().pool.collect(group.number);
    const std::vector<int>& node = ga_session().groups.on_node(group.number);
    int number = 0;  // of the type; processes that had arrays of groups may have other ones
    const bool ample = mpi::collectively(call.comm(), [&] {
      const bool is_ample = has_ample_room(*there, made.form, type, group, node);
      number = ga_type(type);
      return is_ample;
    });
    const int handle = allocate_handle(made.form, number, group.number);
    made.own = own_memory(handle, *there, type, made.form);
    try {
      mpi::collectively(call.comm(), [&] {  // writes to each page: the system may have promised more memory than it has
        if (made.own.process && !ample && !mpi::touch(made.own.whole.data, element_count(made.own.whole) * type.bytes))
          refuse("the system has no more memory for Global Arrays", "", "release other arrays, or use more nodes");
      });
    } catch (const Error&) {  // on every process
      GA_Destroy(handle);
      throw;
    }
    made.array = ga_session().pool.keep(handle, *std::move(there), type);
    return std::move(made);
  });
}

GlobalArray create(const PlacedDistribution& placed, const ElementType& type, MPI_Comm comm) {
  return create_in(placed, type, comm).array;
}

}  // namespace tridap::globalarrays
