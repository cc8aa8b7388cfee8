#include "transfer.hpp"

#include <tridap/internal/call.hpp>

#include <sched.h>

#include <algorithm>
#include <chrono>

namespace tridap::redistribute {

namespace {

constexpr Index through_bytes = Index{64} << 10;

}  // namespace

void Transfer::ready(const std::vector<Transferred>& arrays, const Manner& manner) {
  arrays_.reserve(arrays.capacity());
  arrays_ = arrays;
  manner_ = manner;
  // One pass for each array, over the same rings: all of them have the same reaches.
  const auto alike = [](const Program& a, const Program& b) {
    return a.sweep && a.sweep_ranks == b.sweep_ranks && a.drain.has_value() == b.drain.has_value();
  };
  sweeping_ = manner.mode == Reaching::Mode::streams && manner.rings && manner.combine == nullptr && !arrays_.empty() &&
              std::all_of(arrays_.begin(), arrays_.end(),
                          [&](const Transferred& a) { return alike(*a.program, *arrays_[0].program); });
  draining_ = sweeping_ && arrays_[0].program->drain.has_value();
  start(out_, out_far_, End::source);
  start(in_, in_far_, End::target);
  messages_.begin(out_far_, in_far_, manner.source_bytes, manner.target_bytes,
                  [this](Lane& lane, const std::byte* from, Index bytes) {
                    if (manner_.combine == nullptr) return lane.unpack(from, bytes);
                    lane.combine(from, bytes / manner_.source_bytes, manner_.source_bytes, manner_.target_bytes,
                                 manner_.combine, manner_.scaling);
                  });
  if (sweeping_) {
    swept_ = 0;
    feeds_.assign(arrays_[0].program->sweep_ranks.size(), Feed{});
    arrays_[0].program->sweep->restart();
    ++lanes_left_;
  }
  if (draining_) {
    drained_ = 0;
    supplies_.assign(arrays_[0].program->drain_ranks.size(), Supply{});
    arrays_[0].program->drain->restart();
    ++lanes_left_;
  }
  // begin() allocates nothing: the other processes' moves are under way then.
  for (const Transferred& array : arrays_) {
    if (array.program->fan) far_.reserve(array.program->fan_ranks.size());
    if (array.program->own_out) begin_own(array);
  }
  through_.resize(own_streams() ? static_cast<std::size_t>(through_bytes) : 0);
}

void Transfer::begin() {
  number_ = context_->next_move();
  for (Index slot = 0; slot < ring_slots; ++slot) step();  // so that the others have something to do meanwhile
  for (std::size_t reach = 0; reach < feeds_.size(); ++reach)
    post(reach);  // and nothing is kept from them until wait()
  for (const Transferred& array : arrays_) {
    if (!sweeping_) run_fan(array);
    run_own(array);
  }
  // What we wrote to others' memory, or read from it, comes before this: who sees the number may read the one and
  // write the other. Streaming stores have been fenced by run_fan().
  if (manner_.mode != Reaching::Mode::streams)
    context_->done(context_->rank()).store(number_, std::memory_order_release);
}

bool Transfer::test() {
  while (!over())
    if (!step()) return idle();
  return others_done() || idle();
}

// Lets MPI go on while we wait, since what we wait for may wait for MPI: another process may have to finish a message
// of the caller's to this one before it comes to its part of the move. Some MPI libraries go on in calls alone.
bool Transfer::idle() {
  constexpr unsigned pause = 16;  // a probe takes longer than a look at shared memory
  if (++idle_ % pause == 0 && !mpi_is_over()) {
    int arrived = 0;
    mpi::must_succeed(MPI_Iprobe(MPI_ANY_SOURCE, channel_.tag, channel_.comm, &arrived, MPI_STATUS_IGNORE),
                      "MPI_Iprobe");
  }
  return false;
}

void Transfer::finish() {
  while (!test()) sched_yield();
}

void Transfer::start(std::vector<Lane>& lanes, std::vector<Lane*>& far, End end) {
  const bool sends = end == End::source;
  const auto streams = [&](const Transferred& array) -> std::vector<Program::Stream>& {
    return sends ? array.program->out : array.program->in;
  };
  const std::size_t count = arrays_.empty() ? 0 : streams(arrays_[0]).size();
  if (lanes.size() < count) lanes.resize(count);  // never fewer: they keep their memory
  for (std::size_t k = count; k < lanes.size(); ++k) lanes[k].begin(context_->rank());
  far.clear();
  if (sends) lanes_left_ = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const Index rank = streams(arrays_[0])[k].rank;
    lanes[k].begin(rank);
    for (const Transferred& array : arrays_)
      lanes[k].add({&streams(array)[k].walk, sends ? array.source : array.target});
    if (manner_.rings && context_->here(rank)) {
      if (!(sends ? sweeping_ : draining_)) ++lanes_left_;
    } else {
      far.push_back(&lanes[k]);
    }
  }
}

// Sends about a slot to each, and takes what has come: so who sends faster than another waits for nobody, and both are
// through at the same time. Who went on sending while there is room would find it for ever, where the others do nothing
// but take.
bool Transfer::step() {
  bool moved = !messages_.over() && messages_.step();
  if (lanes_left_ == 0) return moved;
  if (sweeping_ && swept_ < arrays_.size()) moved = sweep() || moved;
  if (draining_ && drained_ < arrays_.size()) moved = drain() || moved;
  for (std::size_t k = 0; k < std::max(out_.size(), in_.size()); ++k) {
    if (k < out_.size() && !sweeping_) moved = send(out_[k]) || moved;
    while (k < in_.size() && !draining_ && receive(in_[k])) moved = true;
  }
  return moved;
}

// Fills one slot of the lane's ring, where one is empty.
bool Transfer::send(Lane& lane) {
  if (lane.left() == 0 || !manner_.rings || !context_->here(lane.rank())) return false;
  const Ring& ring = context_->to(lane.rank());
  if (ring.full()) return false;
  const Index bytes = std::min(lane.left(), whole_elements(ring.slot_bytes, manner_.source_bytes));
  const bool cached = ring.cached();
  lane.pack(ring.next_slot(), bytes, cached);
  ring.post(bytes, cached);
  if (lane.left() == 0) --lanes_left_;
  return true;
}

// Empties one slot, where one is full.
bool Transfer::receive(Lane& lane) {
  if (lane.left() == 0 || !manner_.rings || !context_->here(lane.rank())) return false;
  const Ring& ring = context_->from(lane.rank());
  Index bytes = 0;
  const std::byte* const slot = ring.full_slot(&bytes);
  if (slot == nullptr) return false;
  const auto begun = std::chrono::steady_clock::now();
  if (manner_.combine == nullptr) {
    lane.unpack(slot, bytes);
  } else {
    lane.combine(slot, bytes / manner_.source_bytes, manner_.source_bytes, manner_.target_bytes, manner_.combine,
                 manner_.scaling);
  }
  ring.take(begun);
  if (lane.left() == 0) --lanes_left_;
  return true;
}

// Fills the rings' slots, as far as there is room, and our own target on the way; about a slot of each.
bool Transfer::sweep() {
  posted_ = false;
  Index bytes = static_cast<Index>(feeds_.size()) * context_->slot_bytes();
  const auto room = [this](std::size_t reach, Index) { return find_room(reach); };
  while (swept_ < arrays_.size()) {
    const Transferred& array = arrays_[swept_];
    if (!array.program->sweep->feed(array.source, array.target, feeds_, room, &bytes)) {
      if (bytes <= 0) return true;
      // Who empties our rings together goes on in all of them or in none: nothing is kept from it.
      for (std::size_t reach = 0; reach < feeds_.size(); ++reach) post(reach);
      return posted_;
    }
    if (++swept_ < arrays_.size()) arrays_[swept_].program->sweep->restart();
  }
  for (std::size_t reach = 0; reach < feeds_.size(); ++reach) post(reach);
  StreamCopy::finish();  // what went to our own target
  --lanes_left_;
  return true;
}

// Posts what a feed holds, where that is anything: who empties a ring in the order of the elements must find some in
// every slot, or rings full of empty slots would keep processes waiting for one another.
void Transfer::post(std::size_t reach) {
  Feed& feed = feeds_[reach];
  if (feed.next == nullptr) return;
  const Ring& ring = context_->to(arrays_[0].program->sweep_ranks[reach]);
  const Index bytes = feed.next - ring.next_slot();
  const bool cached = feed.cached;
  feed = {};
  if (bytes == 0) return;
  StreamCopy::finish();
  ring.post(bytes, cached);
  posted_ = true;
}

// Gives a feed the next slot of its ring, if that is empty.
bool Transfer::find_room(std::size_t reach) {
  post(reach);
  const Ring& ring = context_->to(arrays_[0].program->sweep_ranks[reach]);
  if (ring.full()) return false;
  const bool own = arrays_[0].program->sweep_ranks[reach] == context_->rank();
  feeds_[reach] = {ring.next_slot(), ring.next_slot() + ring.slot_bytes, own || ring.cached()};
  return true;
}

// Empties the rings' slots, as far as they are full, and fills our target from our own source on the way; about a slot
// of each.
bool Transfer::drain() {
  taken_ = false;
  Index bytes = static_cast<Index>(supplies_.size()) * context_->slot_bytes();
  const auto more = [this](std::size_t reach) { return find_more(reach); };
  while (drained_ < arrays_.size()) {
    const Transferred& array = arrays_[drained_];
    if (!array.program->drain->drain(array.target, array.source, supplies_, more, &bytes)) return taken_ || bytes <= 0;
    if (++drained_ < arrays_.size()) arrays_[drained_].program->drain->restart();
  }
  StreamCopy::finish();
  for (std::size_t reach = 0; reach < supplies_.size(); ++reach) take(reach);
  --lanes_left_;
  return true;
}

// Lets a slot go that nothing is left in.
void Transfer::take(std::size_t reach) {
  Supply& supply = supplies_[reach];
  if (supply.next == nullptr) return;
  context_->from(arrays_[0].program->drain_ranks[reach]).take(supply.begun);
  supply = {};
  taken_ = true;
}

// Turns to the next slot of a ring, if that is full.
bool Transfer::find_more(std::size_t reach) {
  take(reach);
  Index bytes = 0;
  const std::byte* const slot = context_->from(arrays_[0].program->drain_ranks[reach]).full_slot(&bytes);
  if (slot == nullptr) return false;
  supplies_[reach] = {slot, slot + bytes, std::chrono::steady_clock::now()};
  return true;
}

void Transfer::run_fan(const Transferred& array) {
  if (!array.program->fan) return;
  const bool pull = manner_.mode == Reaching::Mode::pull;
  far_.clear();
  for (const Index rank : array.program->fan_ranks) {
    if (rank != context_->rank()) {
      far_.push_back(array.shared->base(static_cast<int>(rank)));
    } else {
      far_.push_back(pull ? array.source : array.target);
    }
  }
  array.program->fan->run(pull ? array.target : array.source, far_, manner_.combine, manner_.scaling);
}

bool Transfer::own_streams() const {
  return std::any_of(arrays_.begin(), arrays_.end(),
                     [](const Transferred& array) { return array.program->own_out.has_value(); });
}

void Transfer::begin_own(const Transferred& array) {
  own_from_.begin(context_->rank());
  own_from_.add({&*array.program->own_out, array.source});
  own_to_.begin(context_->rank());
  own_to_.add({&*array.program->own_in, array.target});
}

// The own part of a ravelled array: its two ends walk alike, in steps of what is kept in the cache.
void Transfer::run_own(const Transferred& array) {
  if (!array.program->own_out) return;
  begin_own(array);
  Lane &from = own_from_, &to = own_to_;
  while (from.left() > 0) {
    const Index bytes = std::min(from.left(), whole_elements(through_bytes, manner_.source_bytes));
    from.pack(through_.data(), bytes, true);
    if (manner_.combine == nullptr) {
      to.unpack(through_.data(), bytes);
    } else {
      to.combine(through_.data(), bytes / manner_.source_bytes, manner_.source_bytes, manner_.target_bytes,
                 manner_.combine, manner_.scaling);
    }
  }
}

// Whether all who write our targets or read our sources have done so.
bool Transfer::others_done() const {
  if (manner_.mode == Reaching::Mode::streams) return true;
  for (Index other = 0; other < context_->processes(); ++other)
    if (context_->here(other) && context_->done(other).load(std::memory_order_acquire) < number_) return false;
  return true;
}

}  // namespace tridap::redistribute
