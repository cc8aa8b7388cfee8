#include "shared_memory_pool.hpp"

#include <tridap/internal/call.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <random>

namespace tridap::mpi {

bool PooledAllocation::suits(Index bytes) const {
  constexpr Index small = Index{1} << 20;
  const Index length = parts[static_cast<std::size_t>(here)].bytes;
  return bytes <= length && length <= std::max(2 * bytes, small);
}

bool PooledAllocation::holds(const void* data) const {
  const Segment& own = parts[static_cast<std::size_t>(here)];
  const auto at = reinterpret_cast<std::uintptr_t>(data), begin = reinterpret_cast<std::uintptr_t>(own.base);
  return begin <= at && at - begin < static_cast<std::uintptr_t>(own.bytes);
}

PooledAllocation::Segment PooledAllocation::part(int rank) const {
  const int there = (*node_ranks)[static_cast<std::size_t>(rank)];
  return there < 0 ? Segment{} : parts[static_cast<std::size_t>(there)];
}

namespace {

// The pools of this process. It is never destroyed, because owners may be released after all static objects.
struct Pools {
  std::mutex mutex;
  std::vector<SharedMemoryPool*> all;
  bool ending = false;  // MPI_Finalize has begun
};

Pools& pools() {
  static auto* const made = new Pools;
  return *made;
}

// MPI calls this on every process when a communicator is freed. It must not throw, because MPI is C.
int free_pool(MPI_Comm, int, void* value, void*) {
  auto* const pool = static_cast<SharedMemoryPool*>(value);
  const std::lock_guard lock(pools().mutex);
  if (pools().ending) return MPI_SUCCESS;  // free_all() has deleted it
  pools().all.erase(std::find(pools().all.begin(), pools().all.end(), pool));
  const int status = MPI_Comm_free(&pool->comm);
  const int of_node = MPI_Comm_free(&pool->node);
  delete pool;
  return status != MPI_SUCCESS ? status : of_node;
}

// MPI_Finalize calls this first. It frees the memory that has no owner; MPI frees the communicators itself.
int free_all(MPI_Comm, int, void*, void*) {
  const std::lock_guard lock(pools().mutex);
  for (SharedMemoryPool* pool : pools().all) delete pool;
  pools().all.clear();
  pools().ending = true;
  return MPI_SUCCESS;
}

int key() {
  static const int made = [] {
    int value = MPI_KEYVAL_INVALID, end = MPI_KEYVAL_INVALID;
    must_succeed(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_pool, &value, nullptr), "MPI_Comm_create_keyval");
    must_succeed(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_all, &end, nullptr), "MPI_Comm_create_keyval");
    must_succeed(MPI_Comm_set_attr(MPI_COMM_SELF, end, nullptr), "MPI_Comm_set_attr");
    return value;
  }();
  return made;
}

// Fills `node_ranks`: which processes share memory with this one. Both lists are as long as the communicator.
void find_neighbours(SharedMemoryPool& pool, const std::vector<int>& ranks) {
  MPI_Group all = MPI_GROUP_NULL, here = MPI_GROUP_NULL;
  must_succeed(MPI_Comm_group(pool.comm, &all), "MPI_Comm_group");
  must_succeed(MPI_Comm_group(pool.node, &here), "MPI_Comm_group");
  must_succeed(MPI_Group_translate_ranks(all, pool.processes, ranks.data(), here, pool.node_ranks->data()),
               "MPI_Group_translate_ranks");
  must_succeed(MPI_Group_free(&all), "MPI_Group_free");
  must_succeed(MPI_Group_free(&here), "MPI_Group_free");
  for (int& rank : *pool.node_ranks)
    if (rank == MPI_UNDEFINED) rank = -1;
}

SharedMemoryPool& make_pool(MPI_Comm comm) {
  std::vector<int> ranks;
  auto pool = collectively(comm, [&] {
    auto made = std::make_unique<SharedMemoryPool>();
    key();
    must_succeed(MPI_Comm_size(comm, &made->processes), "MPI_Comm_size");
    made->node_ranks = std::make_shared<std::vector<int>>(static_cast<std::size_t>(made->processes));
    ranks.resize(static_cast<std::size_t>(made->processes));
    std::iota(ranks.begin(), ranks.end(), 0);
    made->common.resize(1);
    std::random_device random;
    made->id = std::uint64_t{random()} << 32 | random();
    const std::lock_guard lock(pools().mutex);
    pools().all.reserve(pools().all.size() + 1);
    return made;
  });
  Duplicate ours(comm);
  pool->comm = ours.get();
  must_succeed(MPI_Bcast(&pool->id, 1, MPI_UINT64_T, 0, pool->comm), "MPI_Bcast");
  const int split = MPI_Comm_split_type(pool->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &pool->node);
  must_succeed_everywhere(split, "MPI_Comm_split_type", comm);
  must_succeed(MPI_Comm_size(pool->node, &pool->neighbours), "MPI_Comm_size");
  find_neighbours(*pool, ranks);
  must_succeed_everywhere(MPI_Comm_set_attr(comm, key(), pool.get()), "MPI_Comm_set_attr", comm);
  ours.release();
  const std::lock_guard lock(pools().mutex);
  pools().all.push_back(pool.get());
  return *pool.release();
}

}  // namespace

SharedMemoryPool* known_pool(MPI_Comm comm) {
  SharedMemoryPool* kept = nullptr;
  int found = 0;
  must_succeed(MPI_Comm_get_attr(comm, key(), &kept, &found), "MPI_Comm_get_attr");
  return found != 0 ? kept : nullptr;
}

SharedMemoryPool& pool_of(MPI_Comm comm) {
  SharedMemoryPool* const kept = known_pool(comm);
  return kept != nullptr ? *kept : make_pool(comm);
}

}  // namespace tridap::mpi
