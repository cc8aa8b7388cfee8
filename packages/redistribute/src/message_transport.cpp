#include "transport.hpp"
#include <tridap/internal/call.hpp>

#include <algorithm>

namespace tridap::redistribute {

void MessageTransport::begin(const std::vector<Stream*>& out, const std::vector<Stream*>& in) {
  std::byte* const slots = out.empty() && in.empty() ? nullptr : context_.message_memory();
  out_.sends = true;
  begin(out_, out, slots);
  begin(in_, in, slots == nullptr ? nullptr : slots + message_slots * message_slot_bytes);
}

void MessageTransport::begin(Direction& direction, const std::vector<Stream*>& streams, std::byte* slots) {
  direction.streams = streams;
  direction.begun = 0;
  direction.left = streams.size();
  const std::size_t active = std::clamp<std::size_t>(streams.size(), 1, most_active);
  direction.slots_each = message_slots / active;
  for (std::size_t k = 0; k < most_active; ++k) {
    direction.active[k].stream = nullptr;
    if (k < active)
      direction.active[k].slots = slots + static_cast<Index>(k * direction.slots_each) * message_slot_bytes;
  }
}

bool MessageTransport::progress() {
  bool moved = false;
  for (std::size_t k = 0; k < most_active; ++k) {
    moved = progress(in_, in_.active[k]) || moved;
    moved = progress(out_, out_.active[k]) || moved;
  }
  return moved;
}

bool MessageTransport::progress(Direction& direction, Active& active) {
  if (active.stream == nullptr) {
    if (direction.begun == direction.streams.size()) return false;
    active.stream = direction.streams[direction.begun++];
    active.unposted = active.stream->left();
    active.in_place = step_.copies() ? active.stream->contiguous() : nullptr;
    active.next = active.used = 0;
  }
  bool moved = false;
  for (; active.used < direction.slots_each && active.unposted > 0; moved = true) post(direction, active);
  while (active.used > 0 && finish_oldest(direction, active)) moved = true;
  if (active.used == 0 && active.unposted == 0) {
    active.stream = nullptr;
    --direction.left;
    moved = true;
  }
  return moved;
}

void MessageTransport::post(Direction& direction, Active& active) {
  const Index units = std::min(active.unposted, message_slot_bytes / step_.slot_unit());
  const std::size_t k = active.next;
  std::byte* const memory =
      active.in_place ? active.in_place : active.slots + static_cast<Index>(k) * message_slot_bytes;
  const int bytes = static_cast<int>(units * step_.slot_unit()), peer = static_cast<int>(active.stream->rank());
  if (active.in_place != nullptr) active.in_place += bytes;
  if (direction.sends) {
    if (active.in_place == nullptr) active.stream->pack<CachedCopy>(memory, units);  // MPI reads it next
    mpi::must_succeed(MPI_Isend(memory, bytes, MPI_BYTE, peer, channel_.tag, channel_.comm, &active.request[k]),
                      "MPI_Isend");
  } else {
    mpi::must_succeed(MPI_Irecv(memory, bytes, MPI_BYTE, peer, channel_.tag, channel_.comm, &active.request[k]),
                      "MPI_Irecv");
  }
  active.units[k] = units;
  active.unposted -= units;
  active.next = (k + 1) % direction.slots_each;
  ++active.used;
}

bool MessageTransport::finish_oldest(Direction& direction, Active& active) {
  const std::size_t k = (active.next + direction.slots_each - active.used) % direction.slots_each;
  int arrived = 0;
  mpi::must_succeed(MPI_Test(&active.request[k], &arrived, MPI_STATUS_IGNORE), "MPI_Test");
  if (arrived == 0) return false;
  if (!direction.sends && active.in_place == nullptr)
    active.stream->unpack<StreamCopy>(active.slots + static_cast<Index>(k) * message_slot_bytes, active.units[k]);
  --active.used;
  return true;
}

}  // namespace tridap::redistribute
