#include "shared_file.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/duplicates.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/room.hpp>
#include <tridap/internal/shared_allocation.hpp>
#include <tridap/internal/typed.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <utility>

namespace tridap::mpi {

namespace {

constexpr Index most = Index{1} << 46;        // bytes of one process: more than the address space holds
constexpr Index kept_bytes = Index{1} << 24;  // bytes of each process that are kept although they are free
constexpr std::size_t most_kept = 62;         // allocations, so that the reduction is short

[[noreturn]] void refuse_shared(std::string fault, std::string must) {
  refuse(std::move(fault), std::move(must),
         "allocate less, release shared arrays, give " + node_name() + " a larger /dev/shm, or use tridap::allocate()",
         {}, Rule::process_failure);
}

[[noreturn]] void refuse_memory(Index bytes, const char* of_what, int error) {
  refuse_shared("this process needs " + std::to_string(bytes) + " bytes of " + of_what + " on " + node_name(),
                "but the system says '" + std::generic_category().message(error) + "'");
}

[[noreturn]] void refuse_to_open(int error) {
  refuse("this process cannot open the shared memory of another process on " + node_name(),
         "the system says '" + std::generic_category().message(error) + "'",
         "let all processes of a node use one /dev/shm", {}, Rule::process_failure);
}

}  // namespace

SharedAllocation::SharedAllocation(Index number, const std::vector<Index>& lengths,
                                   std::shared_ptr<const std::vector<int>> places)
    : number_(number), places_(std::move(places)), begins_(lengths.size() + 1, 0) {
  std::partial_sum(lengths.begin(), lengths.end(), begins_.begin() + 1);
  const bool alone = lengths.size() == 1;
  void* const memory = mmap(nullptr, static_cast<std::size_t>(begins_.back()),
                            alone ? PROT_READ | PROT_WRITE : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) refuse_memory(begins_.back(), alone ? "memory" : "shared memory", errno);
  memory_ = static_cast<std::byte*>(memory);
}

SharedAllocation::~SharedAllocation() { munmap(memory_, static_cast<std::size_t>(begins_.back())); }

void SharedAllocation::map(int rank, int file, bool makes) {
  const Index length = bytes(rank);
  int status = makes ? EINTR : 0;
  while (status == EINTR) status = posix_fallocate(file, 0, static_cast<off_t>(length));
  if (status == 0 && mmap(base(rank), static_cast<std::size_t>(length), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                          file, 0) == MAP_FAILED)
    status = errno;
  if (status == 0 && makes && !touch(base(rank), length)) status = ENOMEM;
  if (status == 0) return;
  if (makes || status == ENOMEM) refuse_memory(length, "shared memory", status);
  refuse_to_open(status);
}

namespace {

// An allocation as the pool keeps it.
struct Pooled {
  std::shared_ptr<SharedAllocation> memory;
  Index largest = 0;   // bytes that a process asked for; the same on every process
  bool spare = false;  // within one allocate_shared_bytes(): free on every process

  // Whether the pool alone has it on this process. The fence comes after all that a thread did before it released it.
  bool is_free() const {
    if (memory.use_count() > 1) return false;
    std::atomic_thread_fence(std::memory_order_acquire);
    return true;
  }
  bool suits(Index bytes, int rank) const {
    const Index length = memory->bytes(rank);
    return bytes <= length && length <= std::max(2 * bytes, Index{1} << 20);  // not much too large
  }
};

// What a process of the node says of the memory that it makes.
struct Member {
  Index length = 0;
  Index left = 0;    // bytes that /dev/shm has left; -1: unknown
  FileAddress file;  // where this process shows its files
};

// The allocations of one communicator, in the same order on every process.
struct Pool {
  MPI_Comm comm = MPI_COMM_NULL;  // for our messages
  MPI_Comm node = MPI_COMM_NULL;  // the processes of `comm` that share memory with this one
  int rank = 0;
  std::shared_ptr<std::vector<int>> places;  // see SharedAllocation
  std::vector<Member> members;               // of the allocation that is made, by rank in `node`
  std::vector<Index> lengths;                // theirs
  bool chosen = false;                       // whether files need names
  bool named = false;                        // a process of the node cannot open another one's file without a name
  SharedFile empty, slot, shown;  // `slot` shows `empty`, or `shown`: the file of the allocation that is made
  std::vector<Pooled> pieces;
  std::vector<Index> reduced;  // buffer of allocate_shared_bytes()
  Index numbers = 0;           // how many were given until now
  std::uint64_t id = 0;        // the same on every process, different for each pool

  bool is_alone() const { return members.size() == 1; }  // on its node
  SharedFile make_file() const { return named ? SharedFile::make(FileMaker{id, rank}, numbers) : SharedFile::make(); }
  // The file that a rank of the node shows, in the allocation with this number.
  SharedFile open_file(int of_rank, Index number) const {
    if (named) return SharedFile::open(FileMaker{id, of_rank}, number);
    FileAddress file = members[static_cast<std::size_t>((*places)[static_cast<std::size_t>(of_rank)])].file;
    file.inode = 0;
    return SharedFile::open(file);
  }
  // Every process of the node says what it makes. **Collective** over them.
  void tell(const Member& own) {
    gather_all(&own, 1, members.data(), node);
    for (std::size_t i = 0; i < members.size(); ++i) lengths[i] = members[i].length;
  }
};

// Whether this process can open each file of the node without a name, in one /dev/shm for all.
bool opens_files(const Pool& pool, const FileAddress& own) {
  for (int rank = 0; rank < static_cast<int>(pool.places->size()); ++rank) {
    const int place = (*pool.places)[static_cast<std::size_t>(rank)];
    if (place < 0) continue;
    const FileAddress& file = pool.members[static_cast<std::size_t>(place)].file;
    if (file.number < 0 || file.kernel == 0 || file.kernel != own.kernel || file.device != own.device) return false;
    if (SharedFile::open(file).descriptor() < 0) return false;
  }
  return true;
}

// Finds out whether files need names, and tells where each process shows its own. **Collective** over the processes of
// the node.
void choose_names(Pool& pool) {
  pool.empty = SharedFile::make();
  pool.slot = pool.empty.again();
  const FileAddress own = pool.slot.address();
  pool.tell({0, 0, own});
  pool.named = reduced(opens_files(pool, own) ? 1 : 0, MPI_MIN, pool.node) == 0;
  pool.chosen = true;
  if (pool.named) remove_abandoned_files();
}

// The pool of a communicator. **Collective** the first time.
Pool& pool_of(MPI_Comm caller) {
  const std::shared_ptr<Duplicates> duplicates = made_duplicates_of(caller);
  if (Pool* const kept = duplicates->attached<Pool>()) return *kept;
  const MPI_Comm comm = duplicates->ours();
  const int processes = processes_of(comm);
  auto pool = collectively(comm, [&] {
    auto made = std::make_unique<Pool>();
    made->rank = static_cast<int>(rank_of(comm));
    made->places = std::make_shared<std::vector<int>>(static_cast<std::size_t>(processes), -1);
    made->members.resize(static_cast<std::size_t>(processes));
    made->lengths.resize(static_cast<std::size_t>(processes));
    made->reduced.resize(2);
    std::random_device random;
    made->id = std::uint64_t{random()} << 32 | random();
    return made;
  });
  pool->comm = comm;
  pool->id = broadcast(pool->id, 0, pool->comm);
  collectively(comm, [&] { duplicates->make_room(); });
  MPI_Comm node = MPI_COMM_NULL;
  const int split = MPI_Comm_split_type(pool->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  must_succeed_everywhere(split, "MPI_Comm_split_type", comm);
  const auto neighbours = static_cast<std::size_t>(processes_of(node));
  pool->members.resize(neighbours);
  pool->lengths.resize(neighbours);
  int* const places = pool->places->data();
  places[pool->rank] = static_cast<int>(rank_of(node));
  reduce(places, processes, MPI_MAX, node);
  pool->node = node;
  duplicates->adopt(node);
  return duplicates->attach(std::move(pool), Duplicates::released);
}

// The allocation for which `is` returns true; null: there is none. Local.
template <class Is>
std::shared_ptr<const SharedAllocation> find(MPI_Comm comm, Is is) {
  if (const Pool* const pool = duplicates_of(comm)->attached<Pool>())
    for (const Pooled& piece : pool->pieces)
      if (is(piece, pool->rank)) return piece.memory;
  return nullptr;
}

// Whether /dev/shm has so many bytes left, with the spare of with_spare(). Trying to allocate instead would first fill
// the node's memory.
bool has_room(Index wanted, Index left) {
  const std::optional<Index> spared = with_spare(wanted);
  return left < 0 || (spared && *spared <= left);
}

Index bytes_left_to_share() { return bytes_left("/dev/shm").value_or(-1); }

Index whole_pages(Index bytes) {
  static const Index page = sysconf(_SC_PAGESIZE);
  return std::max<Index>((bytes + page - 1) / page, 1) * page;
}

// The memory that a new allocation has on this process, in a file that the others can open until show_none(). Local.
// Throws Error.
void make_own(Pool& pool, SharedAllocation& made) {
  if (pool.is_alone()) return;
  SharedFile own = pool.make_file();
  if (own.descriptor() < 0) refuse_memory(made.bytes(pool.rank), "shared memory", own.error());
  made.map(pool.rank, own.descriptor(), true);
  if (!pool.named && !own.show_as(pool.slot)) refuse_memory(made.bytes(pool.rank), "shared memory", errno);
  pool.shown = std::move(own);
}

// The memory of the others, which they show. Local. Throws Error.
void open_others(const Pool& pool, SharedAllocation& made) {
  for (int rank = 0; rank < static_cast<int>(pool.places->size()); ++rank) {
    if (rank == pool.rank || made.base(rank) == nullptr) continue;
    const SharedFile file = pool.open_file(rank, made.number());
    if (file.descriptor() < 0) refuse_to_open(file.error());
    if (file.bytes() != made.bytes(rank)) refuse_to_open(ENOENT);
    made.map(rank, file.descriptor(), false);
  }
}

// Closes the file of make_own(), so that its pages live no longer than its allocation.
void show_none(Pool& pool) {
  if (!pool.named && !pool.is_alone()) pool.empty.show_as(pool.slot);
  pool.shown = {};
}

// Whether the processes of the node have room for what they told. The last of them to look at /dev/shm saw all that the
// others had given back, and none had taken anything. Throws on one of them.
bool find_room(const Pool& pool) {
  if (pool.is_alone()) return true;
  const std::vector<Index>& lengths = pool.lengths;
  const Index wanted = std::accumulate(lengths.begin(), lengths.end(), Index{0});
  Index left = -1;
  for (const Member& member : pool.members) left = std::max(left, member.left);
  if (has_room(wanted, left)) return true;
  if (rank_of(pool.node) == 0)
    refuse_shared("the " + std::to_string(lengths.size()) + " processes on " + node_name() + " need " +
                      std::to_string(wanted) + " bytes of shared memory, at most " +
                      std::to_string(*std::max_element(lengths.begin(), lengths.end())) + " on one process",
                  "but /dev/shm has " + std::to_string(left) + " bytes left");
  return false;
}

// Makes a new allocation, with `length` bytes on this process. **Collective**: throws on every process or on none.
std::shared_ptr<SharedAllocation> make_new(Pool& pool, Index length) {
  if (!pool.chosen && !pool.is_alone()) choose_names(pool);
  pool.tell({length, bytes_left_to_share(), pool.slot.address()});
  const Index number = pool.numbers;
  std::shared_ptr<SharedAllocation> made;
  Faults faults;
  faults.attempt([&] {
    made = std::make_shared<SharedAllocation>(number, pool.lengths, pool.places);
    if (find_room(pool)) make_own(pool, *made);
  });
  const bool agreed = MpiCollectives(pool.comm).all(faults.ok());
  if (agreed) faults.attempt([&] { open_others(pool, *made); });
  ++pool.numbers;
  try {
    throw_faults(std::move(faults), pool.comm);
  } catch (...) {  // on every process
    show_none(pool);
    throw;
  }
  show_none(pool);
  return made;
}

// Adds a new allocation to the pool, which gives memory back first if much is free on every process, or if the system
// has no more. `largest`: the most bytes of a process. **Collective.**
void add_piece(Pool& pool, Index bytes, Index largest) {
  const Index length = whole_pages(bytes);
  std::vector<Pooled>& pieces = pool.pieces;
  Index used = largest, spare = 0;
  for (const Pooled& piece : pieces) (piece.spare ? spare : used) += piece.largest;
  const auto free_spare = [&] {
    spare = 0;
    const auto is_spare = [](const Pooled& piece) { return piece.spare; };
    pieces.erase(std::remove_if(pieces.begin(), pieces.end(), is_spare), pieces.end());
  };
  if (spare > std::max(used, kept_bytes) || pieces.size() >= most_kept) free_spare();
  std::shared_ptr<SharedAllocation> made;
  try {
    made = make_new(pool, length);
  } catch (const std::exception&) {  // on every process
    if (spare == 0) throw;
    free_spare();
    made = make_new(pool, length);
  }
  pieces.push_back({std::move(made), largest, false});
}

}  // namespace

std::shared_ptr<const SharedAllocation> allocate_shared_bytes(Index bytes, MPI_Comm comm, Faults faults) {
  Pool& pool = pool_of(comm);
  std::vector<Pooled>& pieces = pool.pieces;
  faults.attempt([&] {
    if (bytes < 0 || bytes > most)
      refuse_shared("this process asks for " + std::to_string(bytes) + " bytes of shared memory",
                    "must be at least 0 and at most " + std::to_string(most));
  });
  if (!faults.ok()) bytes = 0;
  // The least over all processes: no faults; -bytes; and for each allocation 0: in use, 1: free, 2: free, and it suits.
  pool.reduced.resize(2 + pieces.size());
  Index *const least = pool.reduced.data(), *const states = least + 2;
  least[0] = faults.ok();
  least[1] = -bytes;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    states[i] = !pieces[i].is_free() ? 0 : !pieces[i].suits(bytes, pool.rank) ? 1 : 2;
  reduce(least, static_cast<Index>(pool.reduced.size()), MPI_MIN, pool.comm);
  if (least[0] == 0) throw_faults(std::move(faults), pool.comm);
  const Pooled* best = nullptr;  // the smallest
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    pieces[i].spare = states[i] > 0;
    if (states[i] == 2 && (best == nullptr || pieces[i].largest < best->largest)) best = &pieces[i];
  }
  if (best != nullptr) return best->memory;
  add_piece(pool, bytes, -least[1]);
  return pieces.back().memory;
}

NewAllocation::~NewAllocation() {
  if (made_) show_none(*duplicates_of(comm_)->attached<Pool>());
}

bool NewAllocation::offer(const std::vector<Index>& bytes) {
  Pool* const pool = duplicates_of(comm_)->attached<Pool>();
  if (pool == nullptr || (!pool->chosen && !pool->is_alone()) || pool->pieces.size() >= most_kept) return false;
  const Index own = bytes[static_cast<std::size_t>(rank_of(pool->node))];
  Index used = own, free = 0;
  for (const Pooled& piece : pool->pieces) {
    if (piece.is_free() && piece.suits(own, pool->rank)) return false;
    (piece.is_free() ? free : used) += piece.memory->bytes(pool->rank);
  }
  if (free > std::max(used, kept_bytes)) return false;
  succeeds([&] {
    if (*std::max_element(bytes.begin(), bytes.end()) > most) return;
    std::vector<Index> lengths;
    for (const Index each : bytes) lengths.push_back(whole_pages(each));
    const Index wanted = std::accumulate(lengths.begin(), lengths.end(), Index{0});
    if (!pool->is_alone() && !has_room(wanted, bytes_left_to_share())) return;
    auto made = std::make_shared<SharedAllocation>(pool->numbers, lengths, pool->places);
    make_own(*pool, *made);
    made_ = std::move(made);
  });
  return made_ != nullptr;
}

bool NewAllocation::open() {
  Pool& pool = *duplicates_of(comm_)->attached<Pool>();
  ++pool.numbers;
  return succeeds([&] { open_others(pool, *made_); });
}

std::shared_ptr<const SharedAllocation> NewAllocation::keep(Index largest) {
  Pool& pool = *duplicates_of(comm_)->attached<Pool>();
  pool.pieces.push_back({made_, largest, false});
  return made_;
}

std::shared_ptr<const SharedAllocation> reuse_shared(Index bytes, Index largest, Index first, MPI_Comm comm) {
  const Pool* const pool = duplicates_of(comm)->attached<Pool>();
  if (pool == nullptr) return nullptr;
  const Pooled* best = nullptr;
  for (const Pooled& piece : pool->pieces) {
    if (whole_pages(piece.largest) < largest || !piece.is_free() || !piece.suits(bytes, pool->rank)) continue;
    if (piece.memory->number() == first) return piece.memory;
    if (best == nullptr || piece.largest < best->largest) best = &piece;
  }
  return best == nullptr ? nullptr : best->memory;
}

const SharedAllocation* find_shared(const void* data, MPI_Comm comm) {
  const auto holds = [at = reinterpret_cast<std::uintptr_t>(data)](const Pooled& piece, int rank) {
    const auto begin = reinterpret_cast<std::uintptr_t>(piece.memory->base(rank));
    return begin <= at && at - begin < static_cast<std::uintptr_t>(piece.memory->bytes(rank)) && !piece.is_free();
  };
  return find(comm, holds).get();
}

const SharedAllocation* find_shared_by_number(Index number, MPI_Comm comm) {
  return find(comm, [number](const Pooled& piece, int) { return piece.memory->number() == number; }).get();
}

bool on_this_node(int rank, MPI_Comm comm) { return (*pool_of(comm).places)[static_cast<std::size_t>(rank)] >= 0; }

}  // namespace tridap::mpi
