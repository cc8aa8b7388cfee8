#include "node_context.hpp"

#include <tridap/internal/call.hpp>
#include <tridap/internal/shared_allocation.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace tridap::redistribute {

namespace {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "counters are shared between processes");

constexpr Index line = 128;  // bytes that two processes should not write both: processors fetch lines in pairs
static_assert(ring_slots * static_cast<Index>(sizeof(std::uint32_t)) <= line / 2,
              "the numbers of bytes must fit into the cache line of `posted`");

// The parts of one process's memory: the number of its last move, the counters of its rings, and their slots.
struct RingMemoryLayout {
  Index rings, slot_bytes;

  RingMemoryLayout(Index on_node, Index most) : rings(on_node) {
    const Index room = (most - line * (1 + 2 * rings)) / (ring_slots * rings);
    slot_bytes = std::max(line, std::min<Index>(room, Index{128} << 10) / line * line);
  }
  Index done() const { return 0; }
  Index posted(Index ring) const { return line * (1 + ring); }
  Index taken(Index ring) const { return line * (1 + rings + ring); }
  Index slots(Index ring) const { return line * (1 + 2 * rings) + ring * ring_slots * slot_bytes; }
  Index bytes() const { return slots(rings); }
};

std::atomic<std::uint64_t>* counter(std::byte* at) { return reinterpret_cast<std::atomic<std::uint64_t>*>(at); }

// What is attached to a communicator.
struct Attached {
  explicit Attached(std::shared_ptr<NodeContext> made) : context(std::move(made)) {}
  std::shared_ptr<NodeContext> context;
};

Index on_our_node(MPI_Comm comm) {
  const int processes = mpi::processes_of(comm);
  Index count = 0;
  for (int rank = 0; rank < processes; ++rank) count += mpi::on_this_node(rank, comm);
  return count;
}

// As much memory as every node has to share, down to a few cache lines for each ring; none where a
// node has less. The same on every process, because share() succeeds on all or on none. **Collective.**
RingMemory make_ring_memory(MPI_Comm comm) {
  const Index rings = on_our_node(comm);
  RingMemory memory;
  for (memory.most = slots_bytes; memory.most >= least_slots_bytes; memory.most /= 4) {
    try {
      memory.piece = mpi::allocate_shared_bytes(RingMemoryLayout(rings, memory.most).bytes(), comm);
      memory.why_none = nullptr;
      return memory;
    } catch (const std::exception&) {
      memory.why_none = std::current_exception();  // which takes no memory
    }
  }
  return memory;
}

}  // namespace

std::shared_ptr<NodeContext> NodeContext::of(MPI_Comm comm) {
  const std::shared_ptr<mpi::Duplicates> duplicates = mpi::made_duplicates_of(comm);
  if (const Attached* const kept = duplicates->attached<Attached>()) return kept->context;
  mpi::on_this_node(0, comm);
  RingMemory memory = make_ring_memory(comm);
  auto made = std::make_unique<Attached>(std::make_shared<NodeContext>(comm, std::move(memory)));
  mpi::must_succeed(MPI_Barrier(comm), "MPI_Barrier");  // no process counts before all counters are 0
  return duplicates->attach(std::move(made), mpi::Duplicates::released).context;
}

bool NodeContext::is_made(const mpi::Duplicates& duplicates) { return duplicates.attached<Attached>() != nullptr; }

NodeContext::NodeContext(MPI_Comm comm, RingMemory memory)
    : memory_(std::move(memory.piece)), why_no_rings_(std::move(memory.why_none)) {
  mpi::must_succeed(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  mpi::must_succeed(MPI_Comm_size(comm, &processes_), "MPI_Comm_size");
  place_.assign(static_cast<std::size_t>(processes_), -1);
  for (int rank = 0; rank < processes_; ++rank) near_.push_back(mpi::on_this_node(rank, comm));
  if (!memory_) return;
  for (int rank = 0; rank < processes_; ++rank)
    if (is_near(rank)) {
      place_[static_cast<std::size_t>(rank)] = static_cast<int>(node_.size());
      node_.push_back(rank);
    }
  const RingMemoryLayout layout(static_cast<Index>(node_.size()), memory.most);
  slot_bytes_ = layout.slot_bytes;
  const Index own = place_[static_cast<std::size_t>(rank_)];
  std::byte* const mine = memory_->base(rank_);
  new (mine + layout.done()) std::atomic<std::uint64_t>(0);
  for (Index ring = 0; ring < layout.rings; ++ring) {
    new (mine + layout.posted(ring)) std::atomic<std::uint64_t>(0);
    new (mine + layout.taken(ring)) std::atomic<std::uint64_t>(0);
  }
  const auto ring = [&](std::byte* sender, Index to, std::byte* receiver, Index from) {
    return Ring{counter(sender + layout.posted(to)), counter(receiver + layout.taken(from)),
                reinterpret_cast<std::uint32_t*>(sender + layout.posted(to) + line / 2), sender + layout.slots(to),
                layout.slot_bytes};
  };
  for (Index place = 0; place < layout.rings; ++place) {
    std::byte* const theirs = memory_->base(node_[static_cast<std::size_t>(place)]);
    to_.push_back(ring(mine, place, theirs, own));
    from_.push_back(ring(theirs, own, mine, place));
  }
}

std::atomic<std::uint64_t>& NodeContext::done(Index rank) const {
  return *counter(memory_->base(static_cast<int>(rank)));
}

std::byte* NodeContext::message_memory() {
  if (message_memory_.empty()) message_memory_.resize(static_cast<std::size_t>(2 * message_slots * message_slot_bytes));
  return message_memory_.data();
}

}  // namespace tridap::redistribute
