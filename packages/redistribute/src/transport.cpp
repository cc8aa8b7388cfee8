#include "transport.hpp"

#include <tridap/internal/call.hpp>

#include <algorithm>
#include <utility>

namespace tridap::redistribute {

namespace {

// Local: it does not wait for another process, which may have failed, too.
void cancel(MPI_Request& request) {
  if (request == MPI_REQUEST_NULL) return;
  MPI_Cancel(&request);
  MPI_Request_free(&request);
}

bool has_ended(MPI_Request& request) {
  int ended = 0;
  mpi::must_succeed(MPI_Test(&request, &ended, MPI_STATUS_IGNORE), "MPI_Test");
  return ended != 0;
}

// The bytes of a stream that its sender sends at once: as many from each of the others fill a process's slots.
Index most_without_credit(Index processes) {
  return std::min(message_slot_bytes, message_slots * message_slot_bytes / processes);
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

// Elements on a device are packed into several slots before it looks at the device again, which takes as long as a
// slot.
bool SharedMemoryTransport::send(Stream& stream) {
  if (stream.slots_begun == 0 && stream.left() == 0) return false;
  const Ring& ring = rings_->to(stream.rank());
  if (stream.slots_begun == 0) {
    const std::uint64_t most = stream.has_devices() ? Stream::most_begun : 1;
    for (std::byte* slot = nullptr; stream.slots_begun < most && stream.left() > 0;) {
      slot = ring.empty_slot(stream.slots_begun);
      if (slot == nullptr) break;
      const Index units = std::min(stream.left(), ring.slot_bytes / step_.slot_unit());
      stream.in_slots[stream.slots_begun++] = units;
      stream.pack<StreamCopy>(slot, units);
    }
    if (stream.slots_begun == 0) return false;
  }
  if (!stream.ended()) return false;
  for (std::uint64_t k = 0; k < stream.slots_begun; ++k) ring.post(stream.in_slots[k] * step_.slot_unit());
  stream.slots_begun = 0;
  if (stream.left() == 0) --left_;
  return true;
}

bool SharedMemoryTransport::receive(Stream& stream) {
  if (stream.slots_begun == 0 && stream.left() == 0) return false;
  const Ring& ring = rings_->from(stream.rank());
  if (stream.slots_begun == 0) {
    const std::uint64_t most = stream.has_devices() ? Stream::most_begun : 1;
    while (stream.slots_begun < most && stream.left() > 0) {
      Index bytes = 0;
      const std::byte* const slot = ring.full_slot(&bytes, stream.slots_begun);
      if (slot == nullptr) break;
      ++stream.slots_begun;
      stream.unpack<StreamCopy>(slot, bytes / step_.slot_unit());
    }
    if (stream.slots_begun == 0) return false;
  }
  if (!stream.ended()) return false;
  for (std::uint64_t k = 0; k < stream.slots_begun; ++k) ring.take();
  stream.slots_begun = 0;
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
  slot_bytes_ = on_devices_ == nullptr ? message_slot_bytes : on_devices_->lengths().message;
  std::byte* const slots = out.empty() && in.empty() ? nullptr
                           : on_devices_ == nullptr  ? context_.message_memory()
                                                     : on_devices_->messages();
  std::byte* const on_device = on_devices_ == nullptr ? nullptr : on_devices_->device_messages();
  const auto second_half = [&](std::byte* first) {
    return first == nullptr ? nullptr : first + message_slots * slot_bytes_;
  };
  out_.sends = true;
  begin(out_, out, slots, on_device);
  begin(in_, in, second_half(slots), second_half(on_device));
}

void MessageTransport::begin(Direction& direction, const std::vector<Stream*>& streams, std::byte* slots,
                             std::byte* on_device) {
  direction.slots = slots;
  direction.on_device = on_device;
  direction.streams = streams;
  direction.begun = 0;
  direction.left = streams.size();
  const std::size_t active = std::clamp<std::size_t>(streams.size(), 1, most_active);
  direction.slots_each = message_slots / active;
  for (Active& each : direction.active) each.stream = nullptr;
}

bool MessageTransport::progress() {
  bool moved = false;
  for (std::size_t k = 0; k < most_active; ++k) {
    moved = progress(in_, in_.active[k]) || moved;
    moved = progress(out_, out_.active[k]) || moved;
  }
  return moved;
}

// Makes the next stream active; false: there is none.
bool MessageTransport::activate(Direction& direction, Active& active) {
  if (direction.begun == direction.streams.size()) return false;
  active.stream = direction.streams[direction.begun++];
  active.unposted = active.stream->left();
  const auto k = &active - direction.active.data();
  active.slots = (active.stream->slots_on_device() ? direction.on_device : direction.slots) +
                 k * static_cast<Index>(direction.slots_each) * slot_bytes_;
  active.in_place = step_.copies() ? active.stream->contiguous() : nullptr;
  active.next = active.used = 0;
  const Index slots = (active.unposted + units_in_slot() - 1) / units_in_slot();
  const bool is_short = active.unposted * step_.slot_unit() <= most_without_credit(context_.processes());
  active.slots_left = is_short ? 0 : slots;
  active.credit = is_short && direction.sends ? slots : 0;
  return true;
}

// Gives credit for the receipts that were posted, or takes what has come. Never waits.
void MessageTransport::exchange_credit(const Direction& direction, Active& active) {
  const int peer = static_cast<int>(active.stream->rank());
  MPI_Request& request = active.credit_request;
  if (request != MPI_REQUEST_NULL) {
    if (!has_ended(request)) return;
    if (direction.sends) {
      active.credit += active.told;
      active.slots_left -= active.told;
    }
  }
  if (active.slots_left == 0) return;
  if (direction.sends)
    return mpi::must_succeed(
        MPI_Irecv(&active.told, 1, MPI_INT64_T, peer, channel_.credit_tag, channel_.comm, &request), "MPI_Irecv");
  if (active.credit == 0) return;
  active.told = std::exchange(active.credit, 0);
  active.slots_left -= active.told;
  mpi::must_succeed(MPI_Isend(&active.told, 1, MPI_INT64_T, peer, channel_.credit_tag, channel_.comm, &request),
                    "MPI_Isend");
}

bool MessageTransport::progress(Direction& direction, Active& active) {
  if (active.stream == nullptr && !activate(direction, active)) return false;
  if (direction.sends) exchange_credit(direction, active);
  bool moved = direction.sends && send_packed(active);
  for (; may_post(direction, active); moved = true) post(direction, active);
  if (!direction.sends) exchange_credit(direction, active);
  while (active.used > 0 && finish_oldest(direction, active)) moved = true;
  if (active.used == 0 && active.unposted == 0 && active.credit_request == MPI_REQUEST_NULL) {
    active.stream = nullptr;
    --direction.left;
    moved = true;
  }
  return moved;
}

bool MessageTransport::may_post(const Direction& direction, const Active& active) const {
  if (active.used == direction.slots_each || active.unposted == 0) return false;
  return !direction.sends || (active.stream->begun == 0 && active.credit > 0);
}

void MessageTransport::post(Direction& direction, Active& active) {
  const Index units = std::min(active.unposted, units_in_slot());
  const std::size_t k = active.next;
  std::byte* const memory = active.in_place ? active.in_place : active.slots + static_cast<Index>(k) * slot_bytes_;
  const int bytes = static_cast<int>(units * step_.slot_unit()), peer = static_cast<int>(active.stream->rank());
  if (active.in_place != nullptr) active.in_place += bytes;
  active.request[k] = MPI_REQUEST_NULL;
  active.units[k] = units;
  active.unposted -= units;
  active.next = (k + 1) % direction.slots_each;
  ++active.used;
  active.credit += direction.sends ? -1 : 1;
  if (!direction.sends) {
    mpi::must_succeed(MPI_Irecv(memory, bytes, MPI_BYTE, peer, channel_.tag, channel_.comm, &active.request[k]),
                      "MPI_Irecv");
    return;
  }
  active.packed = memory;
  active.stream->begun = units;
  // Between nodes, this process's MPI reads the slot next. On a node the receiver does, perhaps far from our caches.
  if (active.in_place == nullptr)
    context_.is_near(peer) ? active.stream->pack<StreamCopy>(memory, units)
                           : active.stream->pack<CachedCopy>(memory, units);
  send_packed(active);
}

// Sends what post() has packed last, if that has ended.
bool MessageTransport::send_packed(Active& active) {
  Stream& stream = *active.stream;
  if (stream.begun == 0 || !stream.ended()) return false;
  const std::size_t k = (active.next + out_.slots_each - 1) % out_.slots_each;
  const int bytes = static_cast<int>(std::exchange(stream.begun, 0) * step_.slot_unit());
  mpi::must_succeed(MPI_Isend(active.packed, bytes, MPI_BYTE, static_cast<int>(stream.rank()), channel_.tag,
                              channel_.comm, &active.request[k]),
                    "MPI_Isend");
  return true;
}

bool MessageTransport::finish_oldest(Direction& direction, Active& active) {
  const std::size_t k = (active.next + direction.slots_each - active.used) % direction.slots_each;
  Stream& stream = *active.stream;
  if (direction.sends && stream.begun > 0 && active.used == 1) return false;  // it is not sent yet
  if ((direction.sends || stream.begun == 0) && !has_ended(active.request[k])) return false;
  if (!direction.sends && active.in_place == nullptr) {
    if (stream.begun == 0) {
      stream.begun = active.units[k];
      stream.unpack<StreamCopy>(active.slots + static_cast<Index>(k) * slot_bytes_, active.units[k]);
    }
    if (!stream.ended()) return false;
    stream.begun = 0;
  }
  --active.used;
  return true;
}

void MessageTransport::abandon() {
  for (Direction* direction : {&in_, &out_}) {
    for (Active& active : direction->active) {
      if (active.stream == nullptr) continue;
      cancel(active.credit_request);
      for (std::size_t k = active.next + direction->slots_each - active.used; active.used > 0; ++k, --active.used)
        cancel(active.request[k % direction->slots_each]);
      active.stream = nullptr;
    }
    direction->left = 0;
  }
}

}  // namespace tridap::redistribute
