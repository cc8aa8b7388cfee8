#include "pass.hpp"

#include "stream.hpp"

namespace tridap::redistribute {

void Pass::begin(const Pieces& pieces, End end, std::byte* here, const std::vector<Destination>& peers,
                 const ElementStep& step) {
  end_ = end;
  here_ = here;
  peers_ = peers;
  step_ = step;
  cursor_.restart(pieces, step.copies());
}

bool Pass::progress(NodeContext& context, Index* units) {
  while (!done() && *units > 0) {
    const StridedRun run = cursor_.run();
    Destination& peer = peers_[run.peer];
    Index now = run.all_units();
    if (peer.kind == Destination::Kind::memory) {
      copy(run, now, peer.memory);
    } else if (peer.kind == Destination::Kind::ring) {
      if (peer.end - peer.next < step_.slot_unit() && !find_room(peer, context)) return false;
      now = std::min<Index>(now, (peer.end - peer.next) / step_.slot_unit());
      pack<StreamCopy>(step_, run, now, here_ + run.here, peer.next);
      peer.next += now * step_.slot_unit();
    }
    cursor_.skip(now);
    *units -= now;
  }
  if (!done()) return false;
  post_all(context);
  StreamCopy::finish();
  return true;
}

void Pass::post_all(NodeContext& context) {
  for (Destination& peer : peers_) post(peer, context);
}

// Gives a peer the next slot of its ring, if that is empty.
bool Pass::find_room(Destination& peer, NodeContext& context) {
  post(peer, context);
  const Ring& ring = context.to(peer.rank);
  peer.next = ring.empty_slot();
  peer.end = peer.next == nullptr ? nullptr : peer.next + ring.slot_bytes;
  return peer.next != nullptr;
}

void Pass::post(Destination& peer, NodeContext& context) {
  if (peer.next == nullptr) return;
  const Ring& ring = context.to(peer.rank);
  const Index bytes = ring.slot_bytes - (peer.end - peer.next);
  if (bytes == 0) return;
  StreamCopy::finish();
  ring.post(bytes);
  peer.next = peer.end = nullptr;
}

// Between our buffer and another one.
void Pass::copy(const StridedRun& run, Index units, std::byte* there) {
  std::byte *here = here_ + run.here, *other = there + run.there;
  const bool out = end_ == End::source;
  if (!step_.copies() && run.units == 1)
    return out ? step_.combine(other, run.there_step, here, run.here_step, units, step_.scaling)
               : step_.combine(here, run.here_step, other, run.there_step, units, step_.scaling);
  for (; units > 0; units -= run.units, here += run.here_step, other += run.there_step) {
    std::byte* const to = out ? other : here;
    const std::byte* const from = out ? here : other;
    if (step_.copies())
      StreamCopy::run(to, from, static_cast<std::size_t>(run.units));
    else
      step_.combine(to, step_.target_bytes, from, step_.source_bytes, run.units, step_.scaling);
  }
}

}  // namespace tridap::redistribute
