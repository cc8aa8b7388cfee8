#include "device_slots.hpp"

#include "node_context.hpp"
#include <tridap/internal/device_moves.hpp>
#include <tridap/internal/typed.hpp>

#include <new>

namespace tridap::redistribute {

namespace {

constexpr Index largest_device_slot = Index{4} << 20;

}  // namespace

SlotLengths& SlotLengths::of_new_slots() {
  static SlotLengths lengths;
  return lengths;
}

DeviceSlots::DeviceSlots(MPI_Comm comm) : rank_(mpi::rank_of(comm)) {
  const RingMemory memory = RingMemory::make(comm, lengths_.rings, largest_device_slot);
  if (memory.piece) rings_ = std::make_unique<Rings>(comm, memory);
  mpi::barrier(comm);  // no process counts before all counters are 0
}

std::byte* DeviceSlots::messages() {
  if (!messages_) {
    constexpr std::size_t page = 4096;
    messages_ = {
        static_cast<std::byte*>(operator new(static_cast<std::size_t>(bytes_of_messages()), std::align_val_t(page))),
        [](std::byte* held) { operator delete(held, std::align_val_t(page)); }};
    if (!memory_.is_on_host()) pinned_.push_back(device_engine()->pin(memory_, messages_.get(), bytes_of_messages()));
  }
  return messages_.get();
}

void DeviceSlots::get_ready(const Memory& memory, bool messages_on_device) {
  const DeviceEngine& engine = *device_engine();
  const bool is_new = memory_.kind != memory.kind || memory_.device != memory.device;
  if (is_new) {
    own_ = engine.make_target(memory, lengths_.own, false);
    device_messages_ = nullptr;
    const bool is_first = memory_.is_on_host();
    memory_ = memory;
    if (is_first) pin_rings();
  }
  if (!messages_on_device)
    device_messages_ = nullptr;
  else if (!device_messages_)
    device_messages_ = engine.make_target(memory, bytes_of_messages(), false);
}

// What this process fills, and what it empties.
void DeviceSlots::pin_rings() {
  if (!rings_) return;
  const auto pin = [&](std::byte* begin, Index bytes) {
    pinned_.push_back(device_engine()->pin(memory_, begin, bytes));
  };
  const auto rank = static_cast<int>(rank_);
  pin(rings_->memory().base(rank), rings_->memory().bytes(rank));
  for (const int other : rings_->ranks())
    if (other != rank) pin(rings_->from(other).slots, ring_slots * rings_->slot_bytes());
}

}  // namespace tridap::redistribute
