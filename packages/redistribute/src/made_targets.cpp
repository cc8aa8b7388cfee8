// The calls of a Mover that make the target.

#include "checked_arrays.hpp"
#include "mover.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/shared_allocation.hpp>
#include <tridap/memory_order.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <utility>

namespace tridap::redistribute {

namespace {

void allocate_ordinary(Buffer& buffer) {
  const Buffer memory = allocate(buffer.type, buffer.shape);
  buffer.data = memory.data;
  buffer.owner = memory.owner;
}

}  // namespace

// Once the type of targets is known: one reduction for ordinary memory, or if the node has free memory; two for new
// memory of the node; three if the processes have released memory at different times.
void Mover::start_and_make(const DistArray& source, DistArray& target, const Scaling& scaling) {
  if (!made_type_) return start_into_new(source, target, scaling);
  const bool shared = context_->has_rings() && !parts_.listed;
  if (shared)
    start_into_shared(source, target, scaling);
  else
    start_into_ordinary(source, target, scaling);
}

// Whether the target of this source has the type of the targets that the plan has made.
bool Mover::is_made_type(const Buffer& source) const {
  return !parts_.source.process || element_count(source) == 0 || source.type == *made_type_;
}

void Mover::start_into_ordinary(const DistArray& source, DistArray& target, const Scaling& scaling) {
  const Agreement agreement = agree(1, true, scaling, [&](Agreement& ours) {
    check_before_making(source, scaling);
    const bool same = is_made_type(source.buffer) && source.buffer.memory.is_on_host();
    ours.lack_memory(!same);
    if (!same) return false;
    outline(target, *made_type_);
    allocate_ordinary(target.buffer);
    given_.push_back({&source, &target});
    return true;
  });
  if (agreement.all_have_memory()) return start(agreement, scaling);
  target = {};
  start_into_new(source, target, scaling);
}

void Mover::start_into_shared(const DistArray& source, DistArray& target, const Scaling& scaling) {
  std::shared_ptr<const mpi::SharedAllocation> memory;
  mpi::NewAllocation made(comm_);
  Agreement agreement = agree(1, true, scaling, [&](Agreement& ours) {
    check_before_making(source, scaling);
    propose_source(ours, source.buffer);
    outline(target, *made_type_);
    given_.push_back({&source, &target});
    if (agrees_on_schedules_) ours.need_schedule(lacks_schedule());
    const bool on_device = parts_.source.process && !source.buffer.memory.is_on_host();
    const std::vector<Index> bytes = bytes_of_node();
    const Index elements = element_count(target.buffer);
    if (!on_device)
      memory = mpi::reuse_shared(elements * made_type_->bytes, most_elements_ * made_type_->bytes, made_number_, comm_);
    ours.propose(Agreement::memory, memory ? memory->number() : -1);
    ours.lack_memory(on_device || memory || !made.offer(bytes));
    if (elements == 0) return false;
    ours.propose(Agreement::target_type, type_number(*made_type_));
    if (const auto order = order_number(target.buffer)) ours.propose(Agreement::stream_order, *order);
    return false;  // nothing is left to check
  });
  const Index made_number = type_number(*made_type_);
  if (agreement.value(Agreement::source_type).value_or(made_number) != made_number) {
    memory = nullptr;
    target = {};
    return start_into_new(source, target, scaling);
  }
  if (is_on_device(agreement)) {
    memory = nullptr;
    allocate_beside(source.buffer, target.buffer, agreement);
    return start(source, target, scaling);
  }
  if (agreement.value(Agreement::memory).value_or(-1) < 0) {  // none, or not the same
    memory = nullptr;
    if (agreement.all_have_memory() && all_open(made)) memory = made.keep(most_elements_ * made_type_->bytes);
  }
  if (!memory) {
    allocate_target(target.buffer);
    return start(source, target, scaling);
  }
  made_number_ = memory->number();
  target.buffer.data = memory->base(context_->rank());
  target.buffer.owner = std::shared_ptr<void>(memory, target.buffer.data);
  const bool direct = options_.path == Path::automatic && !options_.mapping.ravel;
  agreement.propose(Agreement::shared_target,
                    direct ? memory->number() * 2 + (options_.order == Order::row_major ? 0 : 1) : -1);
  start(agreement, scaling);
}

// Whether all processes can open new memory that all have offered. **Collective.**
bool Mover::all_open(mpi::NewAllocation& made) {
  Agreement agreement;
  agreement.lack_memory(!made.open());
  agreement.reduce(move_name, *channel_.owner);
  return agreement.all_have_memory();
}

// Of new targets: the bytes of each process of our node, by rank.
std::vector<Index> Mover::bytes_of_node() {
  if (node_elements_.empty()) {
    const PlacedDistribution& placed = plan_.target();
    std::vector<Index> all(static_cast<std::size_t>(context_->processes()), 0);
    for (Index process = 0; process < placed.distribution().processes(); ++process)
      all[static_cast<std::size_t>(placed.rank(process))] = placed.distribution().count(process, Part::local);
    most_elements_ = *std::max_element(all.begin(), all.end());
    for (int rank = 0; rank < context_->processes(); ++rank)
      if (context_->on_node(rank)) node_elements_.push_back(all[static_cast<std::size_t>(rank)]);
  }
  std::vector<Index> bytes = node_elements_;
  for (Index& each : bytes) each *= made_type_->bytes;
  return bytes;
}

void Mover::start_into_new(const DistArray& source, DistArray& target, const Scaling& scaling) {
  const Agreement agreement = agree(1, true, scaling, [&](Agreement& ours) {
    check_before_making(source, scaling);
    propose_source(ours, source.buffer);
    return false;
  });
  const auto number = agreement.value(Agreement::source_type);
  const ElementType type = number ? agreed_type(*number, source.buffer.type, comm_)
                                  : ElementType{ElementType::Kind::opaque, plan_.element_bytes(), true};
  outline(target, type);
  made_type_ = type;
  if (is_on_device(agreement))
    allocate_beside(source.buffer, target.buffer, agreement);
  else
    allocate_target(target.buffer);
  start(source, target, scaling);
}

// The source of a call that makes the target.
void Mover::propose_source(Agreement& agreement, const Buffer& source) const {
  if (!parts_.source.process || element_count(source) == 0) return;
  agreement.propose(Agreement::source_type, type_number(source.type));
  agreement.propose(Agreement::standing,
                    static_cast<Index>(source.memory.is_on_host() ? Standing::host : Standing::news));
}

// Memory of a new target where this process's source is; elements that no process sends are 0. A process without a
// source takes the device that it uses, if all sources are on devices.
void Mover::allocate_beside(const Buffer& source, Buffer& target, const Agreement& agreement) {
  const bool all = static_cast<Standing>(agreement.range(Agreement::standing)->second) != Standing::host;
  mpi::collectively(comm_, [&] {
    const bool has_source = parts_.source.process && (element_count(source) > 0 || !source.memory.is_on_host());
    const bool needs_none = element_count(target) == 0 && !has_source;
    if (!parts_.target.process || needs_none || (has_source ? source.memory.is_on_host() : !all))
      return allocate_ordinary(target);
    target.memory = has_source ? source.memory : device_engine()->current();
    if (target.memory.kind == Memory::Kind::cuda_managed) target.memory.kind = Memory::Kind::cuda;
    const Distribution& distribution = plan_.target().distribution();
    const bool leaves_some =
        plan_.mapping().partial || distribution.count(*parts_.target.process, Part::owned) < element_count(target);
    target.owner = device_engine()->make_target(target.memory, element_count(target) * target.type.bytes, leaves_some);
    target.data = target.owner.get();
  });
}

void Mover::check_before_making(const DistArray& source, const Scaling& scaling) const {
  throw_if_wrong(check_source(parts_, source));
  if (scaling.beta != 0.0)
    refuse("beta is not 0, but this call makes the target", "must be 0, because a new target has no values to add to",
           "leave beta 0, or pass a target");
}

// What this process holds of the target, without memory.
void Mover::outline(DistArray& target, const ElementType& type) const {
  target.buffer.type = type;
  target.buffer.shape = {0};
  if (parts_.target.process) {
    target.dim_data = plan_.target().distribution().dim_data(*parts_.target.process);
    target.buffer.shape = plan_.target().distribution().local_shape(*parts_.target.process);
  }
  target.buffer.strides = options_.order == Order::row_major ? row_major_strides(target.buffer.shape, type.bytes)
                                                             : column_major_strides(target.buffer.shape, type.bytes);
}

// Memory that the node shares, if it has enough of that. The same on every process, because allocate_shared() succeeds
// on all or on none. **Collective.**
void Mover::allocate_target(Buffer& buffer) {
  try {
    if (context_->has_rings()) {
      buffer = mpi::allocate_shared_within(buffer.type, buffer.shape, comm_, options_.order);
      made_number_ = mpi::find_shared(buffer.data, comm_)->number();
      return;
    }
  } catch (const std::exception&) {  // ordinary memory is used, or its error is thrown
  }
  mpi::collectively(comm_, [&] { allocate_ordinary(buffer); });
}

}  // namespace tridap::redistribute
