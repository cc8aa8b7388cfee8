#include "transport.hpp"

#include <tridap/internal/call.hpp>

#include <algorithm>

namespace tridap::redistribute {

namespace {

// Local: it does not wait for another process, which may have failed, too.
void cancel(MPI_Request& request) {
  if (request == MPI_REQUEST_NULL) return;
  MPI_Cancel(&request);
  MPI_Request_free(&request);
}

}  // namespace

void SharedMemoryTransport::begin(const std::vector<Stream*>& out, const std::vector<Stream*>& in) {
  out_ = out;
  in_ = in;
  left_ = out.size() + in.size();
}

// Fills one slot for each receiver, and empties all slots that are full. A sender that filled its rings as long as
// there is room would find room for ever, if the others only empty theirs.
bool SharedMemoryTransport::progress() {
  bool moved = false;
  for (std::size_t k = 0; k < std::max(out_.size(), in_.size()); ++k) {
    if (k < out_.size()) moved = send(*out_[k]) || moved;
    while (k < in_.size() && receive(*in_[k])) moved = true;
  }
  return moved;
}

bool SharedMemoryTransport::send(Stream& stream) {
  if (stream.left() == 0) return false;
  const Ring& ring = context_.to(stream.rank());
  std::byte* const slot = ring.empty_slot();
  if (slot == nullptr) return false;
  const Index units = std::min(stream.left(), ring.slot_bytes / step_.slot_unit());
  stream.pack<StreamCopy>(slot, units);
  ring.post(units * step_.slot_unit());
  if (stream.left() == 0) --left_;
  return true;
}

bool SharedMemoryTransport::receive(Stream& stream) {
  if (stream.left() == 0) return false;
  const Ring& ring = context_.from(stream.rank());
  Index bytes = 0;
  const std::byte* const slot = ring.full_slot(&bytes);
  if (slot == nullptr) return false;
  stream.unpack<StreamCopy>(slot, bytes / step_.slot_unit());
  ring.take();
  if (stream.left() == 0) --left_;
  return true;
}

void TypedTransport::begin(const std::vector<Stream*>& out, const std::vector<Stream*>& in) {
  out_ = out;
  in_ = in;
  left_ = 0;
  for (const auto* streams : {&in_, &out_})
    for (const Stream* stream : *streams) left_ += stream->arrays().size();
  requests_.clear();
  requests_.reserve(left_);
  arrived_.resize(std::max(arrived_.size(), left_));
}

void TypedTransport::abandon() {
  for (MPI_Request& request : requests_) cancel(request);
  left_ = 0;
}

void TypedTransport::post() {
  for (const auto* streams : {&in_, &out_})
    for (const Stream* stream : *streams)
      for (const Stream::Array& array : stream->arrays()) {
        const int peer = static_cast<int>(stream->rank());
        requests_.push_back(MPI_REQUEST_NULL);
        if (streams == &in_)
          mpi::must_succeed(MPI_Irecv(array.here, 1, array.type, peer, channel_.tag, channel_.comm, &requests_.back()),
                            "MPI_Irecv");
        else
          mpi::must_succeed(MPI_Isend(array.here, 1, array.type, peer, channel_.tag, channel_.comm, &requests_.back()),
                            "MPI_Isend");
      }
}

bool TypedTransport::progress() {
  if (left_ == 0) return false;
  const bool posts = requests_.empty();
  if (posts) post();
  int count = 0;
  mpi::must_succeed(
      MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, arrived_.data(), MPI_STATUSES_IGNORE),
      "MPI_Testsome");
  left_ -= static_cast<std::size_t>(count);
  return posts || count > 0;
}

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
    // Between nodes, this process's MPI reads the slot next. On a node the receiver does, perhaps far from our caches.
    if (active.in_place == nullptr)
      context_.is_near(peer) ? active.stream->pack<StreamCopy>(memory, units)
                             : active.stream->pack<CachedCopy>(memory, units);
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

void MessageTransport::abandon() {
  for (Direction* direction : {&in_, &out_}) {
    for (Active& active : direction->active) {
      if (active.stream == nullptr) continue;
      for (std::size_t k = active.next + direction->slots_each - active.used; active.used > 0; ++k, --active.used)
        cancel(active.request[k % direction->slots_each]);
      active.stream = nullptr;
    }
    direction->left = 0;
  }
}

}  // namespace tridap::redistribute
