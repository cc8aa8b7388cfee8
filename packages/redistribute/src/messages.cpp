#include "messages.hpp"

#include <tridap/internal/call.hpp>

#include <algorithm>
#include <utility>

namespace tridap::redistribute {

void Messages::begin(const std::vector<Lane*>& out, const std::vector<Lane*>& in, Index source_bytes,
                     Index target_bytes, Unpack unpack) {
  source_bytes_ = source_bytes;
  target_bytes_ = target_bytes;
  unpack_ = std::move(unpack);
  piece_ = whole_elements(piece_bytes, source_bytes);
  out_.lanes = &out;
  in_.lanes = &in;
  open(out_, nullptr);
  open(in_, nullptr);
  if (over()) return;
  std::byte* const slots = context_->staging();
  open(out_, slots);
  open(in_, slots + staging_bytes / 2);
}

void Messages::open(Way& way, std::byte* slots) {
  way.begun = 0;
  way.left = way.lanes->size();
  for (std::size_t b = 0; b < under_way; ++b) {
    way.berths[b].lane = nullptr;
    for (std::size_t p = 0; p < pieces; ++p)
      way.berths[b].slot[p] = slots + static_cast<Index>(b * pieces + p) * (slots == nullptr ? 0 : piece_bytes);
  }
}

bool Messages::step() {
  bool moved = false;
  for (std::size_t b = 0; b < under_way; ++b) {
    moved = serve(in_, in_.berths[b], false) || moved;
    moved = serve(out_, out_.berths[b], true) || moved;
  }
  return moved;
}

// Gives a free berth the next lane.
bool Messages::board(Way& way, Berth& berth, Index element_bytes) {
  if (way.begun == way.lanes->size()) return false;
  berth.lane = (*way.lanes)[way.begun++];
  berth.left = berth.lane->left() / element_bytes * source_bytes_;
  berth.next = berth.oldest = berth.used = 0;
  return true;
}

void Messages::post(Berth& berth, bool sends) {
  const Index bytes = std::min(piece_, berth.left);
  const std::size_t k = berth.next;
  const int count = static_cast<int>(bytes), peer = static_cast<int>(berth.lane->rank());
  if (sends) {
    berth.lane->pack(berth.slot[k], bytes, false);
    mpi::must_succeed(MPI_Isend(berth.slot[k], count, MPI_BYTE, peer, channel_.tag, channel_.comm, &berth.request[k]),
                      "MPI_Isend");
  } else {
    mpi::must_succeed(MPI_Irecv(berth.slot[k], count, MPI_BYTE, peer, channel_.tag, channel_.comm, &berth.request[k]),
                      "MPI_Irecv");
  }
  berth.bytes[k] = bytes;
  berth.left -= bytes;
  berth.next = (k + 1) % pieces;
  ++berth.used;
}

bool Messages::serve(Way& way, Berth& berth, bool sends) {
  if (berth.lane == nullptr && !board(way, berth, sends ? source_bytes_ : target_bytes_)) return false;
  bool moved = false;
  while (berth.used < pieces && berth.left > 0) {
    post(berth, sends);
    moved = true;
  }
  if (berth.used > 0) {
    int arrived = 0;
    const std::size_t k = berth.oldest;
    mpi::must_succeed(MPI_Test(&berth.request[k], &arrived, MPI_STATUS_IGNORE), "MPI_Test");
    if (arrived != 0) {
      if (!sends) unpack_(*berth.lane, berth.slot[k], berth.bytes[k]);
      berth.oldest = (k + 1) % pieces;
      --berth.used;
      moved = true;
    }
  }
  if (berth.used == 0 && berth.left == 0) {
    berth.lane = nullptr;
    --way.left;
    moved = true;
  }
  return moved;
}

}  // namespace tridap::redistribute
