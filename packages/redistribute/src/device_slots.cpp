#include "device_slots.hpp"

#include "node_context.hpp"
#include <tridap/internal/device_moves.hpp>
#include <tridap/internal/typed.hpp>

namespace tridap::redistribute {

namespace {

constexpr Index ring_bytes = Index{32} << 20;  // the most that a process has for rings
constexpr Index largest_ring_slot = Index{2} << 20;
constexpr Index all_messages = 2 * message_slots * device_message_bytes;

}  // namespace

DeviceSlots::DeviceSlots(MPI_Comm comm) {
  const RingMemory memory = RingMemory::make(comm, ring_bytes, largest_ring_slot);
  if (memory.piece) rings_ = std::make_unique<Rings>(comm, memory);
  mpi::must_succeed(MPI_Barrier(comm), "MPI_Barrier");  // no process counts before all counters are 0
}

std::byte* DeviceSlots::messages() {
  if (messages_.empty()) messages_.resize(static_cast<std::size_t>(all_messages));
  return messages_.data();
}

void DeviceSlots::get_ready(const Memory& memory, bool messages_on_device) {
  const DeviceEngine& engine = *device_engine();
  const bool is_new = memory_.kind != memory.kind || memory_.device != memory.device;
  if (is_new) {
    own_ = engine.make_target(memory, own_slot_bytes, false);
    device_messages_ = nullptr;
    memory_ = memory;
    if (pinned_.empty()) pin(memory);
  }
  if (!messages_on_device)
    device_messages_ = nullptr;
  else if (!device_messages_)
    device_messages_ = engine.make_target(memory, all_messages, false);
}

void DeviceSlots::pin(const Memory& memory) {
  const auto pin = [&](std::byte* begin, Index bytes) {
    pinned_.push_back(device_engine()->pin(memory, begin, bytes));
  };
  if (rings_)
    for (const int rank : rings_->ranks()) pin(rings_->memory().base(rank), rings_->memory().bytes(rank));
  pin(messages(), all_messages);
}

}  // namespace tridap::redistribute
