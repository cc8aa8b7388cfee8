#include "source.hpp"

#include "call.hpp"
#include "vec.hpp"
#include <tridap/check.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/driver.hpp>
#include <tridap/internal/duplicates.hpp>
#include <tridap/internal/gather_with_flags.hpp>
#include <tridap/internal/needs.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/petsc/compat.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace tridap::petsc {

namespace {

// Flags of gather_with_flags().
constexpr Index usable = 1;     // this process's buffer can be used
constexpr Index row_major = 2;  // and is in row-major order
constexpr Index of_host = 4;    // and is in memory of the host, or has no elements
constexpr Index of_device = 8;  // and is in memory of a device, or has no elements

bool is_aligned(const Buffer& buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer.data) % alignof(PetscScalar) == 0;
}

// What no copy can change.
void need_elements(const Buffer& buffer, bool device) {
  if (buffer.type != scalar_type())
    need_scalars(buffer.type, "the elements are ",
                 "convert the array first (in Python array = array.astype(\"" + scalar_type().name() +
                     "\")), or use a PETSc that was built for its type");
  if (!device || compat::create_on_device(buffer.memory.kind) == nullptr) need_host_memory(buffer);
}

// Why PETSc cannot use the buffer itself; empty: it can.
std::string obstacle(const Buffer& buffer) {
  if (buffer.read_only) return "the buffer is read-only, and PETSc may write to the memory of a Vec";
  if (!is_row_major(buffer)) {  // which takes less time to find out
    const MemoryOrder order = memory_order(buffer);
    if (!order.is_contiguous) return "the elements are not contiguous: " + order.obstacle;
  }
  if (!is_aligned(buffer)) return "the elements are not aligned to " + std::to_string(alignof(PetscScalar)) + " bytes";
  return "";
}

// What the distribution alone shows is found on every process.
void need_distribution(const Source& source, Copy copy, const InPlace& says, bool padding) {
  const Distribution& distribution = source.distribution;
  Index total = source.total();
  for (Index process = 0; padding && process < distribution.processes(); ++process)
    total = std::max(total, distribution.count(process, Part::local));
  petsc_int(total);
  for (Index i = 0; i < distribution.ndim(); ++i)
    if (distribution.axis(i).shares_indices())
      refuse("several processes have the same indices, which a Vec would have several times", "",
             "give each index to one process", i);
  if (!padding && copy == Copy::never && source.is_padded())
    refuse(std::string(says.before) + "the memory has padding between the elements", "", says.padding);
}

// A row-major copy in memory of the same device.
Elements copied_on_device(const Buffer& part, Receipt& receipt) {
  if (element_count(part) == 0) return {};
  Buffer made = part;
  made.strides = row_major_strides(part.shape, part.type.bytes);
  made.memory.kind = part.memory.kind == Memory::Kind::hip || part.memory.kind == Memory::Kind::hip_managed
                         ? Memory::Kind::hip
                         : Memory::Kind::cuda;
  receipt.bytes_copied = element_count(part) * part.type.bytes;
  made.owner = driver::allocate(made.memory, receipt.bytes_copied);
  made.data = made.owner.get();
  driver::copy(part, made);
  return {static_cast<PetscScalar*>(made.data), made.owner};
}

bool is_uniform(const Axis& axis) { return axis.dist_type() != 'u'; }

}  // namespace

void need_communicator(MPI_Comm comm) {
  mpi::duplicates_of(comm);  // throws if it is null or an inter-communicator
}

void need_scalars(const ElementType& type, const std::string& what, const std::string& remedy) {
  if (type == scalar_type()) return;
  const std::string scalar = scalar_type().name();
  refuse(what + type.text() + ", and PETSc was built for " + scalar, "must be " + scalar, remedy);
}

void need_buffer(const Buffer& buffer, Copy copy, const InPlace& says) {
  need_elements(buffer, says.device);
  const std::string why_not = copy == Copy::never ? obstacle(buffer) : "";
  if (!why_not.empty()) refuse(says.before + why_not, "", says.memory);
}

PetscInt petsc_int(Index number, const char* owner, const char* counted, const char* remedy) {
  if (number > std::numeric_limits<PetscInt>::max())
    refuse(std::string(owner) + " " + std::to_string(number) + " " + counted +
               ", and PETSc was built with integers of " + std::to_string(8 * sizeof(PetscInt)) + " bits",
           "", remedy);
  return static_cast<PetscInt>(number);
}

bool Source::is_padded() const {
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    if (axis.has_communication_padding() || axis.mirrors() != std::array<Index, 2>{0, 0}) return true;
  }
  return false;
}

Index Source::total() const {
  Index total = 1;
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const std::array<Index, 2> mirrors = distribution.axis(i).mirrors();
    total *= distribution.axis(i).size() - mirrors[0] - mirrors[1];
  }
  return total;
}

bool Source::keeps_numbers() const {
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    const bool in_order = axis.dist_type() == 'b' || axis.proc_grid_size() == 1;
    if (!is_uniform(axis) || !in_order || (i > 0 && axis.proc_grid_size() > 1)) return false;
  }
  return row_major || distribution.ndim() == 0;
}

Source need_source(const DistArray& array, MPI_Comm comm, Copy copy, const InPlace& says, bool padding) {
  mpi::Faults faults;
  Index found = 0;
  faults.attempt([&] {
    need_petsc();
    if (!check(array.buffer).ok()) return;  // reported below
    need_buffer(array.buffer, copy, says);
    if (copy == Copy::always || !obstacle(array.buffer).empty() || is_row_major(array.buffer)) found |= row_major;
    const bool none = element_count(array.buffer) == 0, host = array.buffer.memory.is_on_host();
    found |= (none || host ? of_host : 0) | (none || !host ? of_device : 0);
  });
  Index flags = (faults.ok() ? usable : 0) | found;
  Distribution distribution = mpi::gather_inside(array, comm, {}, &flags);
  if ((flags & usable) == 0) mpi::throw_faults(std::move(faults), comm);
  if ((flags & (of_host | of_device)) == 0)
    refuse("the elements of some processes are in memory of a device, and those of others in host memory",
           "must be in one kind of memory, because a Vec has one type", "copy all to host memory");
  Source source{std::move(distribution), mpi::rank_of(comm), (flags & row_major) != 0, (flags & of_host) == 0};
  need_distribution(source, copy, says, padding);
  return source;
}

Elements elements_of(const DistArray& array, const Source& source, Copy copy, Receipt& receipt) {
  const Buffer& buffer = array.buffer;
  const bool copies = copy == Copy::always || source.is_padded() || !obstacle(buffer).empty();
  if (!copies) {
    void* const data = source.row_major ? buffer.data : memory_order(buffer).data;
    receipt.same_address = data == buffer.data;
    return {static_cast<PetscScalar*>(data), buffer.owner};
  }
  const Buffer part = sub_buffer(buffer, source.distribution.part(source.rank, Part::interior));
  receipt.shared = receipt.same_address = false;
  if (source.on_device) return copied_on_device(part, receipt);
  const Buffer made = allocate(buffer.type, part.shape);
  receipt.bytes_copied = pack(part, made.data);
  return {static_cast<PetscScalar*>(made.data), made.owner};
}

MemoryOrder order_of(const DistArray& array, const Source& source, Copy copy) {
  if (copy != Copy::always && !source.is_padded() && obstacle(array.buffer).empty()) return memory_order(array.buffer);
  return row_major_order(array.ndim());
}

void add_numbering(const Source& source, Receipt& receipt) {
  if (!source.keeps_numbers())
    receipt.losses.push_back(
        "the global indices: PETSc numbers the elements process after process, in memory order, and make_ordering() "
        "has the row-major numbers");
}

void add_losses(const DistArray& array, const Distribution& distribution, Receipt& receipt) {
  add_lost_keys(array.dim_data, receipt);
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    if (axis.has_edges() && !axis.periodic())
      receipt.losses.push_back("the boundary padding of axis " + std::to_string(i));
    if (axis.periodic()) receipt.losses.push_back("the period of axis " + std::to_string(i));
  }
}

}  // namespace tridap::petsc
