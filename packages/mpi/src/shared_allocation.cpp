#include "shared_memory_pool.hpp"
#include "shared_pages.hpp"
#include <tridap/internal/call.hpp>
#include <tridap/internal/collectives.hpp>
#include <tridap/internal/room.hpp>
#include <tridap/internal/shared_allocation.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace tridap::mpi {

namespace {

using Word = std::uint64_t;
constexpr std::size_t word = 64;              // allocations for which one Word has bits
constexpr Index most = Index{1} << 46;        // bytes of one process: more than the address space holds
constexpr Index kept_bytes = Index{1} << 24;  // bytes of each process that are kept although they are free
constexpr std::size_t most_kept = 62;         // allocations, so that the reduction has three numbers only

/// What an owner holds: it returns the allocation to the pool when it is destroyed.
struct Lease {
  std::shared_ptr<PooledAllocation> piece;

  Lease() = default;
  Lease(const Lease&) = delete;
  ~Lease() {
    if (piece) piece->release();
  }
};

// Whether no process has faults. **Collective.**
bool all_well(const Faults& faults, MPI_Comm comm) {
  int well = faults.ok();
  must_succeed(MPI_Allreduce(MPI_IN_PLACE, &well, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  return well != 0;
}

Index sum_over(Index number, MPI_Comm comm) {
  must_succeed(MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, MPI_SUM, comm), "MPI_Allreduce");
  return number;
}

// `common` begins with a flag: this process has no faults. Then one bit for each allocation says whether it suits this
// process, and after these, one bit for each says whether it is free on this process.
std::size_t words(const SharedMemoryPool& pool) { return (pool.pieces.size() + word - 1) / word; }

bool bit(const Word* bits, std::size_t i) { return (bits[i / word] >> (i % word) & 1) != 0; }

const Word* suit_all(const SharedMemoryPool& pool) { return pool.common.data() + 1; }
const Word* free_on_all(const SharedMemoryPool& pool) { return suit_all(pool) + words(pool); }

void look_here(SharedMemoryPool& pool, Index bytes, bool well) {
  const std::size_t count = words(pool);
  std::fill(pool.common.begin(), pool.common.end(), Word{0});
  pool.common[0] = well;
  for (std::size_t i = 0; i < pool.pieces.size(); ++i) {
    if (!pool.pieces[i]->is_free()) continue;
    const Word one = Word{1} << (i % word);
    if (pool.pieces[i]->suits(bytes)) pool.common[1 + i / word] |= one;
    pool.common[1 + count + i / word] |= one;
  }
}

// The smallest allocation that suits every process; null: none does.
std::shared_ptr<PooledAllocation> best(const SharedMemoryPool& pool) {
  std::shared_ptr<PooledAllocation> found;
  for (std::size_t i = 0; i < pool.pieces.size(); ++i)
    if (bit(suit_all(pool), i) && (!found || pool.pieces[i]->pages < found->pages)) found = pool.pieces[i];
  return found;
}

// Frees allocations that are free on every process, the least recently used first. It stops when few are left and they
// hold no more pages than those in use, of which `needed` are about to be; with `all`, it frees all of them. It frees
// the same allocations on every process.
void make_room(SharedMemoryPool& pool, Index needed, bool all) {
  Index used = needed, held = 0;
  for (const std::shared_ptr<PooledAllocation>& piece : pool.pieces) (piece->spare ? held : used) += piece->pages;
  const Index enough = all ? -1 : std::max(used, kept_bytes / page_bytes() * pool.processes);
  while (held > enough || pool.pieces.size() >= most_kept) {
    auto oldest = pool.pieces.end();
    for (auto piece = pool.pieces.begin(); piece != pool.pieces.end(); ++piece)
      if ((*piece)->spare && (oldest == pool.pieces.end() || (*piece)->turn() < (*oldest)->turn())) oldest = piece;
    if (oldest == pool.pieces.end()) break;
    held -= (*oldest)->pages;
    pool.pieces.erase(oldest);
  }
}

// Throws, on one process of the node, if the processes of the node need more than /dev/shm has left, with the spare of
// with_spare(). Trying to allocate instead would first fill the node's memory. **Collective** over the node.
void check_room(const SharedMemoryPool& pool, Index bytes) {
  Index largest = bytes;
  const Index wanted = sum_over(bytes, pool.node);
  must_succeed(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_INT64_T, MPI_MAX, pool.node), "MPI_Allreduce");
  const std::optional<Index> left = shared_bytes_left(), spared = with_spare(wanted);
  const auto here = static_cast<int>(rank_of(pool.node));
  int first = left && (!spared || *left < *spared) ? here : pool.neighbours;
  must_succeed(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, pool.node), "MPI_Allreduce");
  if (first == here)
    refuse_shared("the " + std::to_string(pool.neighbours) + " processes on " + node_name() + " need " +
                      std::to_string(wanted) + " bytes of shared memory, at most " + std::to_string(largest) +
                      " on one process",
                  "but /dev/shm has " + std::to_string(*left) + " bytes left");
}

// The name of the segment of one process of the node.
std::string name_of(const SharedMemoryPool& pool, Index serial, int rank) {
  return "/tridap-" + std::to_string(pool.id) + "-" + std::to_string(serial) + "-" + std::to_string(rank);
}

// Allocates this process's memory, and reserves an entry in the pool's lists. `made`: the segment, if there are other
// processes on the node.
std::shared_ptr<PooledAllocation> outline(SharedMemoryPool& pool, Index serial, Index length,
                                          std::optional<SharedPages>& made) {
  auto piece = std::make_shared<PooledAllocation>();
  piece->node_ranks = pool.node_ranks;
  piece->parts.resize(static_cast<std::size_t>(pool.neighbours));
  piece->pages_of.resize(static_cast<std::size_t>(pool.neighbours));
  piece->here = static_cast<int>(rank_of(pool.node));
  const auto here = static_cast<std::size_t>(piece->here);
  if (pool.neighbours > 1) made.emplace(name_of(pool, serial, piece->here), length);
  piece->pages_of[here] = made ? made->memory() : own_pages(length);
  piece->parts[here] = {piece->pages_of[here].get(), length};
  const std::size_t pieces = pool.pieces.size() + 1;
  pool.pieces.reserve(pieces);
  pool.common.reserve(1 + 2 * (pieces / word + 1));
  return piece;
}

// Maps the segments of the other processes of the node, whose lengths are known.
void open_others(PooledAllocation& piece, Index serial, const SharedMemoryPool& pool) {
  for (int rank = 0; rank < pool.neighbours; ++rank) {
    const auto i = static_cast<std::size_t>(rank);
    if (rank != piece.here) piece.pages_of[i] = open_pages(name_of(pool, serial, rank), piece.parts[i].bytes);
    piece.parts[i].base = piece.pages_of[i].get();
  }
}

// Makes a new allocation. If any process fails, the result is null, and `faults` holds the faults of this process. The
// segment's name is removed as soon as every process has opened it. **Collective.**
std::shared_ptr<PooledAllocation> new_piece(SharedMemoryPool& pool, Index length, Faults& faults) {
  const Index serial = pool.names++;
  std::optional<SharedPages> made;
  std::shared_ptr<PooledAllocation> piece;
  if (pool.neighbours > 1) faults.attempt([&] { check_room(pool, length); });
  if (!all_well(faults, pool.comm)) return nullptr;
  faults.attempt([&] { piece = outline(pool, serial, length, made); });
  if (!all_well(faults, pool.comm)) return nullptr;
  if (pool.neighbours == 1) return all_well(faults, pool.comm) ? piece : nullptr;
  const PooledAllocation::Segment own = piece->parts[static_cast<std::size_t>(piece->here)];
  static_assert(sizeof(own) == 2 * sizeof(Index));
  must_succeed(MPI_Allgather(&own, 2, MPI_INT64_T, piece->parts.data(), 2, MPI_INT64_T, pool.node), "MPI_Allgather");
  faults.attempt([&] { open_others(*piece, serial, pool); });
  return all_well(faults, pool.comm) ? piece : nullptr;
}

std::shared_ptr<PooledAllocation> add_piece(SharedMemoryPool& pool, Index bytes) {
  const Index page = page_bytes(), pages = std::max<Index>((bytes + page - 1) / page, 1);
  const Index of_all = sum_over(pages, pool.comm);
  for (std::size_t i = 0; i < pool.pieces.size(); ++i) pool.pieces[i]->spare = bit(free_on_all(pool), i);
  make_room(pool, of_all, false);
  Faults faults;
  std::shared_ptr<PooledAllocation> piece = new_piece(pool, pages * page, faults);
  const std::size_t before = pool.pieces.size();
  if (!piece) make_room(pool, of_all, true);
  if (!piece && pool.pieces.size() < before) {
    faults = {};
    piece = new_piece(pool, pages * page, faults);
  }
  if (!piece) {
    throw_faults(std::move(faults), pool.comm);
  }
  piece->serial = pool.numbers++;
  piece->pages = of_all;
  pool.pieces.push_back(piece);
  pool.common.resize(1 + 2 * words(pool));
  return piece;
}

}  // namespace

std::shared_ptr<const SharedAllocation> allocate_shared_bytes(Index bytes, Faults faults, MPI_Comm comm) {
  SharedMemoryPool& pool = pool_of(comm);
  std::shared_ptr<Lease> lease;
  faults.attempt([&] {
    if (bytes < 0 || bytes > most)
      refuse_shared("this process asks for " + std::to_string(bytes) + " bytes of shared memory",
                    "must be at least 0 and at most " + std::to_string(most));
    lease = std::make_shared<Lease>();
  });
  look_here(pool, faults.ok() ? bytes : 0, faults.ok());
  must_succeed(MPI_Allreduce(MPI_IN_PLACE, pool.common.data(), static_cast<int>(1 + 2 * words(pool)), MPI_UINT64_T,
                             MPI_BAND, pool.comm),
               "MPI_Allreduce");
  if (pool.common[0] == 0) {
    throw_faults(std::move(faults), pool.comm);
  }
  std::shared_ptr<PooledAllocation> piece = best(pool);
  if (!piece) piece = add_piece(pool, bytes);
  piece->was_used(pool.turns++);
  piece->take();
  lease->piece = std::move(piece);
  return {lease, lease->piece.get()};
}

std::shared_ptr<const SharedAllocation> allocate_shared_bytes(Index bytes, MPI_Comm comm) {
  return allocate_shared_bytes(bytes, Faults(), comm);
}

SharedReuse::SharedReuse(Index number, Index bytes, MPI_Comm comm) {
  const SharedMemoryPool* const pool = known_pool(comm);
  if (pool == nullptr) return;
  for (const std::shared_ptr<PooledAllocation>& piece : pool->pieces) {
    if (piece->number() != number || !piece->is_free() || !piece->suits(bytes)) continue;
    auto lease = std::make_shared<Lease>();
    piece->take();
    lease->piece = piece;
    taken_ = {lease, piece.get()};
  }
}

void SharedReuse::confirm(MPI_Comm comm) const {
  SharedMemoryPool& pool = pool_of(comm);
  static_cast<const PooledAllocation&>(*taken_).was_used(pool.turns++);
}

const SharedAllocation* find_shared(const void* data, MPI_Comm comm) {
  const SharedMemoryPool* const pool = known_pool(comm);
  if (pool == nullptr) return nullptr;
  for (const std::shared_ptr<PooledAllocation>& piece : pool->pieces)
    if (piece->holds(data) && !piece->is_free()) return piece.get();
  return nullptr;
}

const SharedAllocation* find_shared_by_number(Index number, MPI_Comm comm) {
  const SharedMemoryPool* const pool = known_pool(comm);
  if (pool == nullptr) return nullptr;
  for (const std::shared_ptr<PooledAllocation>& piece : pool->pieces)
    if (piece->number() == number) return piece.get();
  return nullptr;
}

bool on_this_node(int rank, MPI_Comm comm) { return (*pool_of(comm).node_ranks)[static_cast<std::size_t>(rank)] >= 0; }

}  // namespace tridap::mpi
