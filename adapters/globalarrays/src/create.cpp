#include "create.hpp"

#include "ga.hpp"
#include "handle_pool.hpp"
#include "named.hpp"
#include "nearest.hpp"
#include "types.hpp"
#include <tridap/globalarrays/import.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/room.hpp>
#include <tridap/mpi/agree.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace tridap::globalarrays {

namespace {

using redistribute::PlacedDistribution;

// A number that is computed from all arguments. It is equal for equal ownership that is described in the same way.
Index digest(const PlacedDistribution& placed, const Form& form, const ElementType& type) {
  Digest digest;
  digest.add(static_cast<Index>(type.kind));
  digest.add(type.bytes);
  digest.add(type.native_order ? 1 : 0);
  digest.add(type.description_number());
  digest.add(static_cast<Index>(form.kind));
  digest.add_all(placed.distribution.shape());
  digest.add_all(placed.distribution.proc_grid_shape());
  for (const std::vector<Index>* numbers : {&form.dims, &form.widths, &form.shift, &form.grid, &form.blocks, &form.map})
    digest.add_all(*numbers);
  digest.add_all(form.owners);
  for (Index i = 0; i < placed.distribution.ndim(); ++i) {
    const Axis& axis = placed.distribution.axis(i);
    digest.add(axis.periodic() ? 1 : 0);
    digest.add(axis.dist_type());
    if (const auto* block = std::get_if<BlockKind>(&axis.kind())) {
      digest.add(block->edges()[0]);
      digest.add(block->edges()[1]);
    }
  }
  return digest.value();
}

void check_same(Index digest, MPI_Comm comm) {
  if (!mpi::min_max({digest}, comm).front().is_same())
    refuse("the processes gave different distributions or element types", "", "give the same on every process");
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
// much more memory than needed. **Collective** over the group.
bool check_room(const PlacedDistribution& placed, const Form& form, const ElementType& type, MPI_Comm comm,
                const Group& group) {
  const std::vector<int>& node = node_of(group.number);
  return mpi::collectively(comm, [&] {
    std::vector<Index> wanted(group.ranks.size(), 0);
    for (Index process = 0; process < placed.distribution.processes(); ++process)
      wanted[static_cast<std::size_t>(placed.rank(process))] = bytes_of(placed, form, type, process);
    const Room room = room_on(node, wanted);
    const Index bytes = wanted[static_cast<std::size_t>(mpi::rank_of(GA_MPI_Comm_pgroup(group.number)))];
    const std::string remedy = "release other arrays, or use more nodes";
    if (!has_free_handle())
      refuse("Global Arrays has 32768 arrays and cannot have more", "", "release some arrays, and call collect()");
    if (!room.missing.empty())
      refuse("Global Arrays has no room for " + std::to_string(bytes) + " bytes: " + room.missing, "", remedy);
    if (GA_Memory_limited() != 0 && static_cast<Index>(GA_Memory_avail()) < bytes)
      refuse("the memory limit of Global Arrays leaves " + std::to_string(GA_Memory_avail()) +
                 " bytes, and the array needs " + std::to_string(bytes),
             "", "raise the limit of GA_Set_memory_limit, or release other arrays");
    return room.ample;
  });
}

// A fence of GA on a group aborts if a process has an array of a second group, and the second group lacks a process of
// the first.
void check_fences(const Group& group) {
  if (group.number == GA_Pgroup_get_world() || !HandlePool::all().keeps_of_others(group.number)) return;
  refuse("the process has arrays of another group, and GA's fences abort if a process has arrays of two groups", "",
         "release the other group's arrays, and call collect()");
}

// GA's number of the type. Processes that had arrays of groups may have registered other types. **Collective.**
int type_number(const ElementType& type, MPI_Comm comm) {
  if (const std::optional<int> known = built_in(type)) return *known;
  return mpi::collectively(comm, [&] { return ga_type(type); });
}

static_assert(std::is_same_v<Index, int64_t>);  // so GA reads the form's numbers in place; it does not change them

void set_distribution(int handle, Form& form) {
  if (form.kind == Form::Kind::cyclic)
    return GA_Set_block_cyclic_proc_grid64(handle, form.blocks.data(), form.grid.data());
  if (form.kind == Form::Kind::tiled)
    return GA_Set_tiled_irreg_proc_grid64(handle, form.map.data(), form.blocks.data(), form.grid.data());
  GA_Set_irreg_distr64(handle, form.map.data(), form.blocks.data());
  if (!form.owners.empty()) GA_Set_restricted(handle, form.owners.data(), static_cast<int>(form.owners.size()));
  if (!form.widths.empty()) GA_Set_ghosts64(handle, form.widths.data());
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

// This process's memory, ghost cells included. Local.
Buffer whole_part(int handle, const PlacedDistribution& placed, const Form& form, const ElementType& type,
                  Index process) {
  Buffer whole;
  whole.type = type;
  whole.shape = extent(placed, form, process).shape;
  whole.strides = row_major_strides(whole.shape, type.bytes);
  if (element_count(whole) == 0) return whole;
  const int rank = static_cast<int>(placed.rank(process));
  int64_t lo[GA_MAX_DIM], hi[GA_MAX_DIM], ld[GA_MAX_DIM], length = 0;
  if (form.kind != Form::Kind::irregular) {
    NGA_Access_block_segment64(handle, rank, &whole.data, &length);
  } else if (!form.widths.empty()) {
    NGA_Access_ghosts64(handle, lo, &whole.data, ld);
  } else {
    NGA_Distribution64(handle, rank, lo, hi);
    NGA_Access64(handle, lo, hi, &whole.data, ld);
  }
  return whole;
}

// Writes to each page, since the system may have promised more memory than it has. Local.
void touch_part(const Buffer& part) {
  if (!mpi::touch(part.data, element_count(part) * part.type.bytes))
    refuse("the system has no more memory for Global Arrays", "", "release other arrays, or use more nodes");
}

}  // namespace

PlacedDistribution in_group(const PlacedDistribution& placed, const Group& group) {
  PlacedDistribution translated{placed.distribution, {}};
  bool moved = false;
  for (Index process = 0; process < placed.distribution.processes(); ++process) {
    const Index rank = placed.rank(process);  // an invalid rank is not changed
    const bool known = rank >= 0 && rank < static_cast<Index>(group.ranks.size());
    translated.ranks.push_back(known ? group.ranks[static_cast<std::size_t>(rank)] : rank);
    moved = moved || translated.ranks.back() != process;
  }
  if (!moved) translated.ranks.clear();
  return translated;
}

Group require_group(MPI_Comm comm) {
  if (GA_Initialized() == 0) refuse("Global Arrays is not initialised", "", "make a Session first");
  std::optional<Group> group = group_of(comm);
  if (!group)
    refuse("the communicator's processes are not a group of Global Arrays", "", "call make_group(comm) first");
  return *std::move(group);
}

std::optional<Index> own_process(const GlobalArray& array) {
  return array.placed().process(mpi::rank_of(GA_MPI_Comm_pgroup(GA_Get_pgroup(array.handle()))));
}

Buffer own_memory(const GlobalArray& array, const Form& form) {
  const std::optional<Index> process = own_process(array);
  return process ? whole_part(array.handle(), array.placed(), form, array.type(), *process) : Buffer{};
}

Buffer own_part(const GlobalArray& array, const Form& form) {
  const std::optional<Index> process = own_process(array);
  return process ? sub_buffer(own_memory(array, form), extent(array.placed(), form, *process).box) : Buffer{};
}

Buffer own_part(const GlobalArray& array) {
  const auto processes = static_cast<Index>(GA_Pgroup_nnodes(GA_Get_pgroup(array.handle())));
  return own_part(array, std::get<Form>(form_of(array.placed(), array.type(), processes)));
}

Created create_in(const PlacedDistribution& placed, const ElementType& type, MPI_Comm comm) {
  const mpi::Call call(comm, "globalarrays::create", mpi::Library::globalarrays);
  comm = call.comm();
  HandlePool& pool = HandlePool::all();
  Created made;
  Index number = 0;  // digest of the arguments
  PlacedDistribution translated = mpi::collectively(comm, [&] {
    made.group = require_group(comm);
    check_fences(made.group);
    PlacedDistribution there = in_group(placed, made.group);
    const auto processes = static_cast<Index>(made.group.ranks.size());
    std::variant<Form, Finding> answer = form_of(there, type, processes, made.group.leading);
    if (const auto* why = std::get_if<Finding>(&answer))
      throw Error(with_nearest(*why, there, type, processes, made.group.leading));
    made.form = std::move(std::get<Form>(answer));
    number = digest(there, made.form, type);
    return there;
  });
  check_same(number, comm);
  pool.collect(made.group.number);
  const bool ample = check_room(translated, made.form, type, comm, made.group);
  const int handle = allocate_handle(made.form, type_number(type, comm), made.group.number);
  try {
    made.array = pool.take(mpi::collectively(comm, [&] {
      const std::optional<Index> process = translated.process(mpi::rank_of(GA_MPI_Comm_pgroup(made.group.number)));
      if (process && !ample) touch_part(whole_part(handle, translated, made.form, type, *process));
      return pool.offer(handle, std::move(translated), type);
    }));
  } catch (...) {  // on every process
    GA_Destroy(handle);
    throw;
  }
  return made;
}

GlobalArray create(const PlacedDistribution& placed, const ElementType& type, MPI_Comm comm) {
  return create_in(placed, type, comm).array;
}

}  // namespace tridap::globalarrays
