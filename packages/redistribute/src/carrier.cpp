#include "carrier.hpp"

#include <tridap/internal/call.hpp>
#include <tridap/internal/wait.hpp>

#include <algorithm>
#include <limits>

namespace tridap::redistribute {

namespace {

std::byte* data_of(const DistArray* array) { return static_cast<std::byte*>(array->buffer.data); }

}  // namespace

void Carrier::ready(const std::vector<MovedArray>& arrays, const ElementStep& step, const mpi::SharedAllocation* shared,
                    DeviceSlots* on_devices) {
  arrays_.reserve(arrays.capacity());
  arrays_ = arrays;
  step_ = step;
  shared_ = shared;
  on_devices_ = on_devices;
  if (on_devices != nullptr && on_devices->rings() != nullptr)
    within_node_.use(*on_devices->rings());
  else if (context_->has_rings())
    within_node_.use(context_->rings());
  messages_.use(on_devices);
  stays_on_device_ = on_devices != nullptr && on_devices->own() != nullptr && all_on_device();
  messages_on_device_ = stays_on_device_ && on_devices->device_messages() != nullptr;
  connect(End::source);
  connect(End::target);
  within_node_.begin(out_.within_node, in_.within_node);
  typed_.begin(out_.typed, in_.typed);
  messages_.begin(out_.messages, in_.messages);
  for (passed_ = arrays_.size(); passed_ > 0; --passed_) begin_pass(arrays_[passed_ - 1]);
}

// Whether all elements of this process are on the device that has slots.
bool Carrier::all_on_device() const {
  const Memory& device = on_devices_->memory();
  const auto is_there = [&](const std::vector<Schedule::Peer>& peers, const DistArray& array) {
    const Memory& memory = array.buffer.memory;
    return peers.empty() || (peers.front().device != nullptr && memory.device == device.device);
  };
  return std::all_of(arrays_.begin(), arrays_.end(), [&](const MovedArray& array) {
    return is_there(array.schedule->out, *array.source) && is_there(array.schedule->in, *array.target);
  });
}

// Makes the streams of one end, and finds the transport of each. Every array has the same peers.
void Carrier::connect(End end) {
  const bool sends = end == End::source;
  Direction& direction = sends ? out_ : in_;
  const auto peers = [&](const MovedArray& array) -> const std::vector<Schedule::Peer>& {
    return sends ? array.schedule->out : array.schedule->in;
  };
  const std::size_t count = arrays_.empty() ? 0 : peers(arrays_[0]).size();
  if (direction.streams.size() < count) direction.streams.resize(count);  // never fewer: they keep their memory
  for (auto* streams : {&direction.within_node, &direction.typed, &direction.messages, &direction.own})
    streams->clear();
  for (std::size_t k = 0; k < count; ++k) {
    const Schedule::Peer& first = peers(arrays_[0])[k];
    Stream& stream = direction.streams[k];
    std::vector<Stream*>* const transport = transport_of(first, direction);
    const bool own = transport == &direction.own;
    stream.begin(first.rank, step_, own || (transport == &direction.messages && messages_on_device_));
    for (const MovedArray& array : arrays_) {
      const Schedule::Peer& peer = peers(array)[k];
      const DistArray* const ours = sends ? array.source : array.target;
      if (peer.device)
        stream.add(peer.pieces, ours->buffer, *peer.device);
      else
        stream.add(peer.pieces, data_of(ours), peer.type.get());
    }
    transport->push_back(&stream);
  }
}

std::vector<Stream*>* Carrier::transport_of(const Schedule::Peer& peer, Direction& direction) const {
  if (stays_on_device_ && peer.rank == context_->rank()) return &direction.own;
  if (peer.way == Way::ring) return &direction.within_node;
  return peer.way == Way::typed && step_.copies() ? &direction.typed : &direction.messages;
}

const char* Carrier::slots_text() const {
  const bool in_rings = !out_.within_node.empty() || !in_.within_node.empty();
  const bool in_messages = !out_.messages.empty() || !in_.messages.empty();
  if (stays_on_device_ && !in_rings && !in_messages) return "on the device";
  return messages_on_device_ && !in_rings ? "on devices, which MPI reads" : "in the memory of the host";
}

// Moves the elements that stay on a device, through a slot there.
void Carrier::move_own() {
  for (std::size_t k = 0; k < out_.own.size(); ++k) {
    Stream &from = *out_.own[k], &to = *in_.own[k];
    std::byte* const slot = on_devices_->own();
    while (from.left() > 0) {
      const Index units = std::min(from.left(), on_devices_->lengths().own / step_.slot_unit());
      from.pack<StreamCopy>(slot, units);
      while (!from.ended()) progress();
      to.unpack<StreamCopy>(slot, units);
      while (!to.ended()) progress();
    }
  }
}

void Carrier::begin_pass(const MovedArray& array) {
  if (!array.schedule->pass) return;
  const Schedule::PassPlan& plan = *array.schedule->pass;
  const bool out = plan.end == End::source;
  destinations_ = plan.peers;
  for (Destination& peer : destinations_)
    if (peer.way == Way::memory)
      peer.memory = peer.rank == context_->rank() ? data_of(out ? array.target : array.source)
                    : shared_ != nullptr          ? shared_->base(static_cast<int>(peer.rank))
                                                  : nullptr;
  pass_.begin(plan.pieces, plan.end, data_of(out ? array.source : array.target), destinations_, step_, *context_);
}

// Goes on with the passes of all arrays, about so many units; false: nothing was left to do, or a ring is full.
bool Carrier::walk(Index units) {
  const Index asked = units;
  while (passed_ < arrays_.size() && units > 0) {
    if (arrays_[passed_].schedule->pass && !pass_.progress(*context_, &units)) break;
    if (++passed_ < arrays_.size()) begin_pass(arrays_[passed_]);
  }
  return units < asked;
}

void Carrier::begin() {
  number_ = context_->next_move();
  for (Index slot = 0; slot < ring_slots; ++slot) progress();  // so that the others have something to do meanwhile
  move_own();
  if (shared_ == nullptr) return post_what_waits();
  while (passed_ < arrays_.size()) walk(std::numeric_limits<Index>::max());
  // All writes into the memory of others, and all reads from it, are done before this. A process that sees the number
  // may read what was written, and write what was read.
  context_->done(context_->rank()).store(number_, std::memory_order_release);
}

// A pass that cannot go on keeps no elements from other processes.
void Carrier::post_what_waits() {
  if (passed_ < arrays_.size() && arrays_[passed_].schedule->pass) pass_.post_all(*context_);
}

// Sends about one slot to each process of the node, and takes all that has come.
bool Carrier::progress() {
  const Index slot_bytes = context_->has_rings() ? context_->rings().slot_bytes() : 0;
  const bool walked = walk(std::max(slot_bytes, Index{64} << 10) * 4);
  const bool within = within_node_.progress();
  const bool typed = typed_.progress();
  return messages_.progress() || typed || within || walked;
}

bool Carrier::test() {
  while (passed_ < arrays_.size() || !within_node_.done() || !typed_.done() || !messages_.done())
    if (!progress()) {
      post_what_waits();
      return wait_a_little();
    }
  return others_done() || wait_a_little();
}

// Lets MPI make progress while we wait, since what we wait for may wait for MPI: another process may first have to
// finish a message of the caller's to this one. Some MPI libraries make progress in calls alone.
bool Carrier::wait_a_little() {
  constexpr unsigned pause = 16;  // a probe takes longer than a look at shared memory
  if (++waited_ % pause == 0 && !mpi::mpi_is_over()) {
    int arrived = 0;
    mpi::must_succeed(MPI_Iprobe(MPI_ANY_SOURCE, channel_.tag, channel_.comm, &arrived, MPI_STATUS_IGNORE),
                      "MPI_Iprobe");
  }
  return false;
}

void Carrier::abandon() {
  within_node_.abandon();
  typed_.abandon();
  messages_.abandon();
}

void Carrier::finish() {
  mpi::wait_until([this] { return test(); });
}

// Whether all that write our targets or read our sources have done so.
bool Carrier::others_done() const {
  if (shared_ == nullptr) return true;
  for (Index other = 0; other < context_->processes(); ++other)
    if (context_->on_node(other) && context_->done(other).load(std::memory_order_acquire) < number_) return false;
  return true;
}

}  // namespace tridap::redistribute
