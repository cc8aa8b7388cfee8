#include "pass.hpp"

#include "stream.hpp"
#include <tridap/internal/transpose.hpp>

namespace tridap::redistribute {

void Pass::begin(const Pieces& pieces, End end, std::byte* here, const std::vector<Destination>& peers,
                 const ElementStep& step, const NodeContext& context) {
  end_ = end;
  here_ = here;
  peers_ = peers;
  step_ = step;
  cursor_.restart(pieces, step.copies(), context.has_rings() ? context.rings().slot_bytes() : 0);
}

// Between our buffer and another one.
inline void Pass::copy(const Cursor::Run& run, std::byte* here, std::byte* other) {
  if (run.rows > 1) return copy_rows(run, here, other);
  if (!step_.copies()) return combine(run, here, other);
  for (Index k = 0; k < run.count; ++k, here += run.here_step, other += run.there_step) {
    const bool out = end_ == End::source;
    StreamCopy::run(out ? other : here, out ? here : other, static_cast<std::size_t>(run.units));
  }
}

// The rows are those of the target: its elements follow one another along them, and the source's across them.
void Pass::copy_rows(const Cursor::Run& run, std::byte* here, std::byte* other) {
  const MatrixSteps ours{run.here_row, run.here_step}, theirs{run.there_row, run.there_step};
  const bool out = end_ == End::source, copies = step_.copies();
  const MatrixSteps& to = out ? theirs : ours;
  std::byte* const target = out ? other : here;
  const Index length = copies ? run.units : step_.source_bytes;
  const auto put = [&](Index row, Index first, Index count, const std::byte* elements) {
    std::byte* const at = target + row * to.row + first * to.element;
    if (!copies) return step_.combine(at, to.element, elements, length, count, step_.scaling);
    if (to.element == length) return StreamCopy::run(at, elements, static_cast<std::size_t>(count * length));
    copy_strided(at, to.element, elements, length, count, length);
  };
  transpose(out ? here : other, out ? ours : theirs, run.rows, run.count, length, put);
}

// Into a slot, in which the rows follow one another.
void Pass::pack_rows(const Cursor::Run& run, const std::byte* here, std::byte* slot) const {
  const Index length = run.units * step_.slot_unit();
  const auto put = [&](Index row, Index first, Index count, const std::byte* elements) {
    StreamCopy::run(slot + (row * run.count + first) * length, elements, static_cast<std::size_t>(count * length));
  };
  transpose(here, {run.here_row, run.here_step}, run.rows, run.count, length, put);
}

bool Pass::progress(NodeContext& context, Index* units) {
  bool full = false;
  const auto visit = [&](const Cursor::Run& run) -> Index {
    if (*units <= 0) return 0;
    Destination& peer = peers_[run.peer];
    Index now = run.all_units();
    if (peer.way == Way::memory) {
      copy(run, here_ + run.here, peer.memory + run.there);
    } else if (peer.way == Way::ring) {
      const Index least = run.rows > 1 ? now : 1;  // joined rows are not cut
      full = peer.end - peer.next < least * step_.slot_unit() && !find_room(peer, context);
      if (full) return 0;
      now = std::min<Index>(now, (peer.end - peer.next) / step_.slot_unit());
      run.rows > 1 ? pack_rows(run, here_ + run.here, peer.next)
                   : pack<StreamCopy>(step_, run, now, here_ + run.here, peer.next);
      peer.next += now * step_.slot_unit();
    }
    *units -= now;
    return now;
  };
  while (!done() && *units > 0 && !full) cursor_.advance(visit);
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
  const Ring& ring = context.rings().to(peer.rank);
  peer.next = ring.empty_slot();
  peer.end = peer.next == nullptr ? nullptr : peer.next + ring.slot_bytes;
  return peer.next != nullptr;
}

void Pass::post(Destination& peer, NodeContext& context) {
  if (peer.next == nullptr) return;
  const Ring& ring = context.rings().to(peer.rank);
  const Index bytes = ring.slot_bytes - (peer.end - peer.next);
  if (bytes == 0) return;
  StreamCopy::finish();
  ring.post(bytes);
  peer.next = peer.end = nullptr;
}

void Pass::combine(const Cursor::Run& run, std::byte* here, std::byte* other) {
  const bool out = end_ == End::source, single = run.units == 1;
  const Index count = single ? 1 : run.count, units = single ? run.count : run.units;
  const Index here_step = single ? run.here_step : (out ? step_.source_bytes : step_.target_bytes);
  const Index other_step = single ? run.there_step : (out ? step_.target_bytes : step_.source_bytes);
  for (Index k = 0; k < count; ++k, here += run.here_step, other += run.there_step)
    out ? step_.combine(other, other_step, here, here_step, units, step_.scaling)
        : step_.combine(here, here_step, other, other_step, units, step_.scaling);
}

}  // namespace tridap::redistribute
