#include "node_context.hpp"

#include <tridap/internal/shared_allocation.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace tridap::redistribute {

namespace {

constexpr Index ring_bytes = Index{15} << 18;  // the most that a process has for rings
constexpr Index largest_ring_slot = Index{128} << 10;

// What is attached to a communicator.
struct Attached {
  explicit Attached(std::shared_ptr<NodeContext> made) : context(std::move(made)) {}
  std::shared_ptr<NodeContext> context;
};

}  // namespace

std::shared_ptr<NodeContext> NodeContext::of(MPI_Comm comm) {
  const std::shared_ptr<mpi::Duplicates> duplicates = mpi::made_duplicates_of(comm);
  if (const Attached* const kept = duplicates->attached<Attached>()) return kept->context;
  mpi::on_this_node(0, comm);
  RingMemory memory = RingMemory::make(comm, ring_bytes, largest_ring_slot);
  auto made = std::make_unique<Attached>(std::make_shared<NodeContext>(comm, std::move(memory)));
  mpi::barrier(comm);  // no process counts before all counters are 0
  return duplicates->attach(std::move(made), mpi::Duplicates::released).context;
}

bool NodeContext::is_made(const mpi::Duplicates& duplicates) { return duplicates.attached<Attached>() != nullptr; }

NodeContext::NodeContext(MPI_Comm comm, RingMemory memory)
    : rank_(static_cast<int>(mpi::rank_of(comm))), processes_(mpi::processes_of(comm)), why_no_rings_(memory.why_none) {
  for (int rank = 0; rank < processes_; ++rank) near_.push_back(mpi::on_this_node(rank, comm));
  if (memory.piece) rings_ = std::make_unique<Rings>(comm, memory);
}

DeviceSlots& NodeContext::device_slots(MPI_Comm comm) {
  if (!device_slots_) device_slots_ = std::make_unique<DeviceSlots>(comm);
  return *device_slots_;
}

std::byte* NodeContext::message_memory() {
  if (message_memory_.empty()) message_memory_.resize(static_cast<std::size_t>(2 * message_slots * message_slot_bytes));
  return message_memory_.data();
}

}  // namespace tridap::redistribute
