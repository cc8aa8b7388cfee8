#include "transport.hpp"

#include <algorithm>

namespace tridap::redistribute {

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

}  // namespace tridap::redistribute
