#include "rings.hpp"

#include <tridap/internal/call.hpp>
#include <tridap/internal/typed.hpp>

#include <algorithm>
#include <new>

namespace tridap::redistribute {

namespace {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "counters are shared between processes");

constexpr Index line = 128;  // bytes that two processes should not write both: processors fetch lines in pairs
static_assert(ring_slots * static_cast<Index>(sizeof(std::uint32_t)) <= line / 2,
              "the numbers of bytes must fit into the cache line of `posted`");

// The parts of one process's memory: the number of its last move, the counters of its rings, and their slots.
struct RingMemoryLayout {
  Index rings, slot_bytes;

  RingMemoryLayout(Index on_node, Index most, Index largest_slot) : rings(on_node) {
    const Index room = (most - line * (1 + 2 * rings)) / (ring_slots * rings);
    slot_bytes = std::max(line, std::min(room, largest_slot) / line * line);
  }
  Index done() const { return 0; }
  Index posted(Index ring) const { return line * (1 + ring); }
  Index taken(Index ring) const { return line * (1 + rings + ring); }
  Index slots(Index ring) const { return line * (1 + 2 * rings) + ring * ring_slots * slot_bytes; }
  Index bytes() const { return slots(rings); }
};

std::atomic<std::uint64_t>* counter(std::byte* at) { return reinterpret_cast<std::atomic<std::uint64_t>*>(at); }

Index on_our_node(MPI_Comm comm) {
  const int processes = mpi::processes_of(comm);
  Index count = 0;
  for (int rank = 0; rank < processes; ++rank) count += mpi::on_this_node(rank, comm);
  return count;
}

}  // namespace

RingMemory RingMemory::make(MPI_Comm comm, Index most, Index largest_slot) {
  const Index rings = on_our_node(comm);
  RingMemory memory;
  memory.largest_slot = largest_slot;
  for (memory.most = most; memory.most >= least_slots_bytes; memory.most /= 4) {
    try {
      memory.piece = mpi::allocate_shared_bytes(RingMemoryLayout(rings, memory.most, largest_slot).bytes(), comm);
      memory.why_none = nullptr;
      return memory;
    } catch (const std::exception&) {
      memory.why_none = std::current_exception();  // which takes no memory
    }
  }
  return memory;
}

Rings::Rings(MPI_Comm comm, const RingMemory& memory) : memory_(memory.piece) {
  const int rank = static_cast<int>(mpi::rank_of(comm)), processes = static_cast<int>(mpi::processes_of(comm));
  place_.assign(static_cast<std::size_t>(processes), -1);
  for (int other = 0; other < processes; ++other)
    if (mpi::on_this_node(other, comm)) {
      place_[static_cast<std::size_t>(other)] = static_cast<int>(node_.size());
      node_.push_back(other);
    }
  const RingMemoryLayout layout(static_cast<Index>(node_.size()), memory.most, memory.largest_slot);
  slot_bytes_ = layout.slot_bytes;
  const Index own = place_[static_cast<std::size_t>(rank)];
  std::byte* const mine = memory_->base(rank);
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

std::atomic<std::uint64_t>& Rings::done(Index rank) const { return *counter(memory_->base(static_cast<int>(rank))); }

}  // namespace tridap::redistribute
