#include "transfer.hpp"

#include <tridap/internal/call.hpp>
#include <tridap/internal/wait.hpp>

#include <algorithm>
#include <limits>

namespace tridap::redistribute {

void Transfer::ready(const std::vector<Transferred>& arrays, const Manner& manner) {
  arrays_.reserve(arrays.capacity());
  arrays_ = arrays;
  manner_ = manner;
  connect(End::source);
  connect(End::target);
  within_node_.begin(out_routes_.within_node, in_routes_.within_node);
  typed_.begin(out_routes_.typed, in_routes_.typed);
  messages_.begin(out_routes_.messages, in_routes_.messages);
  for (passed_ = arrays_.size(); passed_ > 0; --passed_) begin_pass(arrays_[passed_ - 1]);
}

// Makes the streams of one end, and finds the transport of each. Every array has the same exchanges.
void Transfer::connect(End end) {
  const bool sends = end == End::source;
  std::vector<Stream>& streams = sends ? out_ : in_;
  Routes& routes = sends ? out_routes_ : in_routes_;
  const auto exchanges = [&](const Transferred& array) -> const std::vector<Schedule::Exchange>& {
    return sends ? array.schedule->out : array.schedule->in;
  };
  const std::size_t count = arrays_.empty() ? 0 : exchanges(arrays_[0]).size();
  if (streams.size() < count) streams.resize(count);  // never fewer: they keep their memory
  routes.within_node.clear();
  routes.typed.clear();
  routes.messages.clear();
  for (std::size_t k = 0; k < count; ++k) {
    const Schedule::Exchange& first = exchanges(arrays_[0])[k];
    const Index rank = first.rank;
    const bool typed = first.type && manner_.step.copies();
    streams[k].begin(rank, manner_.step);
    for (const Transferred& array : arrays_)
      streams[k].add(
          {&exchanges(array)[k].pieces, sends ? array.source : array.target, exchanges(array)[k].type.get()});
    auto& route = manner_.shared_memory && context_->on_node(rank) ? routes.within_node
                  : typed                                          ? routes.typed
                                                                   : routes.messages;
    route.push_back(&streams[k]);
  }
}

void Transfer::begin_pass(const Transferred& array) {
  if (!array.schedule->pass) return;
  const Schedule::PassPlan& plan = *array.schedule->pass;
  const bool out = plan.end == End::source;
  destinations_ = plan.peers;
  for (Destination& peer : destinations_)
    if (peer.kind == Destination::Kind::memory && peer.rank == context_->rank())
      peer.memory = out ? array.target : array.source;
    else if (peer.kind == Destination::Kind::memory && array.shared != nullptr)
      peer.memory = array.shared->base(static_cast<int>(peer.rank));
  pass_.begin(plan.pieces, plan.end, out ? array.source : array.target, destinations_, manner_.step);
}

// Goes on with the passes of all arrays, about so many units; false: nothing was left to do, or a ring is full.
bool Transfer::walk(Index units) {
  const Index asked = units;
  while (passed_ < arrays_.size() && units > 0) {
    if (arrays_[passed_].schedule->pass && !pass_.progress(*context_, &units)) break;
    if (++passed_ < arrays_.size()) begin_pass(arrays_[passed_]);
  }
  return units < asked;
}

void Transfer::begin() {
  number_ = context_->next_move();
  for (Index slot = 0; slot < ring_slots; ++slot) progress();  // so that the others have something to do meanwhile
  if (manner_.direct == Way::Direct::none) return post_what_waits();
  while (passed_ < arrays_.size()) walk(std::numeric_limits<Index>::max());
  // All writes into the memory of others, and all reads from it, are done before this. A process that sees the number
  // may read what was written, and write what was read.
  context_->done(context_->rank()).store(number_, std::memory_order_release);
}

// A pass that cannot go on keeps no elements from other processes.
void Transfer::post_what_waits() {
  if (passed_ < arrays_.size() && arrays_[passed_].schedule->pass) pass_.post_all(*context_);
}

// Sends about one slot to each process of the node, and takes all that has come.
bool Transfer::progress() {
  const bool walked = walk(std::max(context_->slot_bytes(), Index{64} << 10) * 4);
  const bool within = within_node_.progress();
  const bool typed = typed_.progress();
  return messages_.progress() || typed || within || walked;
}

bool Transfer::test() {
  while (passed_ < arrays_.size() || !within_node_.done() || !typed_.done() || !messages_.done())
    if (!progress()) {
      post_what_waits();
      return wait_a_little();
    }
  return others_done() || wait_a_little();
}

// Lets MPI make progress while we wait, since what we wait for may wait for MPI: another process may first have to
// finish a message of the caller's to this one. Some MPI libraries make progress in calls alone.
bool Transfer::wait_a_little() {
  constexpr unsigned pause = 16;  // a probe takes longer than a look at shared memory
  if (++waited_ % pause == 0 && !mpi::mpi_is_over()) {
    int arrived = 0;
    mpi::must_succeed(MPI_Iprobe(MPI_ANY_SOURCE, channel_.tag, channel_.comm, &arrived, MPI_STATUS_IGNORE),
                      "MPI_Iprobe");
  }
  return false;
}

void Transfer::abandon() {
  within_node_.abandon();
  typed_.abandon();
  messages_.abandon();
}

void Transfer::finish() {
  mpi::wait_until([this] { return test(); });
}

// Whether all that write our targets or read our sources have done so.
bool Transfer::others_done() const {
  if (manner_.direct == Way::Direct::none) return true;
  for (Index other = 0; other < context_->processes(); ++other)
    if (context_->on_node(other) && context_->done(other).load(std::memory_order_acquire) < number_) return false;
  return true;
}

}  // namespace tridap::redistribute
