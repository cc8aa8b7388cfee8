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
constexpr std::size_t word = 64;              // pieces that one Word has bits for
constexpr Index most = Index{1} << 46;        // bytes of one process: more than addresses have room for
constexpr Index kept_bytes = Index{1} << 24;  // free ones of each process that are always kept
constexpr std::size_t most_kept = 62;         // pieces, so that two numbers and a flag are all that is reduced

/// What an owner holds.
struct Lease {
  std::shared_ptr<PooledAllocation> piece;

  Lease() = default;
  Lease(const Lease&) = delete;
  ~Lease() {
    if (piece) piece->let_go();
  }
};

// Whether nobody has faults.
bool all_well(const Faults& faults, MPI_Comm comm) {
  int well = faults.ok();
  must_succeed(MPI_Allreduce(MPI_IN_PLACE, &well, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  return well != 0;
}

Index sum_over(Index number, MPI_Comm comm) {
  must_succeed(MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, MPI_SUM, comm), "MPI_Allreduce");
  return number;
}

// Bits of the pieces, one behind another: which suit here, and which are free here; before them, whether all is well.
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

// The smallest piece that suits everybody; null: none does.
std::shared_ptr<PooledAllocation> best(const SharedMemoryPool& pool) {
  std::shared_ptr<PooledAllocation> found;
  for (std::size_t i = 0; i < pool.pieces.size(); ++i)
    if (bit(suit_all(pool), i) && (!found || pool.pieces[i]->pages < found->pages)) found = pool.pieces[i];
  return found;
}

// Drops the pieces that are free everywhere and were not used for longest, until those that stay are few and hold
// no more than what is used, `wanted` pages included; or all. The same pieces on every process.
void make_room(SharedMemoryPool& pool, Index wanted, bool all) {
  Index used = wanted, held = 0;
  for (const std::shared_ptr<PooledAllocation>& piece : pool.pieces) (piece->spare ? held : used) += piece->pages;
  const Index enough = all ? -1 : std::max(used, kept_bytes / page_bytes() * pool.processes);
  while (held > enough || pool.pieces.size() >= most_kept) {
    auto oldest = pool.pieces.end();
    for (auto piece = pool.pieces.begin(); piece != pool.pieces.end(); ++piece)
      if ((*piece)->spare && (oldest == pool.pieces.end() || (*piece)->turn < (*oldest)->turn)) oldest = piece;
    if (oldest == pool.pieces.end()) break;
    held -= (*oldest)->pages;
    pool.pieces.erase(oldest);
  }
}

// Throws on one process of the node, which speaks for all, where they want more than /dev/shm has left, a sixteenth of
// which stays free: to find that out by allocating would fill the node's memory first. **Collective** over the node.
void check_room(const SharedMemoryPool& pool, Index bytes) {
  Index largest = bytes;
  const Index wanted = sum_over(bytes, pool.node);
  must_succeed(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_INT64_T, MPI_MAX, pool.node), "MPI_Allreduce");
  const std::optional<Index> left = shared_bytes_left(), spared = with_spare(wanted);
  const auto here = static_cast<int>(rank_of(pool.node));
  int first = left && (!spared || *left < *spared) ? here : pool.neighbours;
  must_succeed(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, pool.node), "MPI_Allreduce");
  if (first == here)
    refuse_shared("the " + std::to_string(pool.neighbours) + " processes on " + node_name() + " want " +
                      std::to_string(wanted) + " bytes of shared memory, at most " + std::to_string(largest) +
                      " for one",
                  "but /dev/shm has " + std::to_string(*left) + " left");
}

// The name of the segment that a process of the node makes.
std::string name_of(const SharedMemoryPool& pool, Index serial, int rank) {
  return "/tridap-" + std::to_string(pool.id) + "-" + std::to_string(serial) + "-" + std::to_string(rank);
}

// Memory of this process, and room for the piece in the pool's lists. `made`: the segment, where other processes of the
// node are to see it.
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

// A new piece; null, with the faults of this process, where any has some. A name is gone once all have opened it.
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
      refuse_shared("this process wants " + std::to_string(bytes) + " bytes of memory",
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
  piece->turn = pool.turns++;
  piece->take();
  lease->piece = std::move(piece);
  return {lease, lease->piece.get()};
}

std::shared_ptr<const SharedAllocation> allocate_shared_bytes(Index bytes, MPI_Comm comm) {
  return allocate_shared_bytes(bytes, Faults(), comm);
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
