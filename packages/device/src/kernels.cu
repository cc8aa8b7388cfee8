// The kernels, compiled to an image that the driver loads (module.cpp). For HIP, hipcc compiles the same file.

#ifdef __HIPCC__
#include <hip/hip_runtime.h>
#endif

#include "kernels.hpp"
#include "reduce.hpp"

namespace tridap::device {

// While the threads of a block move a tile, they find the places of the next one.

template <class Word>
__device__ void pull_rows(const PullTask& task) {
  __shared__ SharedRows blocks[2];
  const int thread = static_cast<int>(threadIdx.x);
  Place own{};
  if (blockIdx.x < task.tiles) own = find_places<false>(task, blockIdx.x, blocks[0], thread);
  __syncthreads();
  int now = 0;
  for (Long tile = blockIdx.x; tile < task.tiles; tile += gridDim.x, now = 1 - now) {
    Place next{};
    if (tile + gridDim.x < task.tiles) next = find_places<false>(task, tile + gridDim.x, blocks[1 - now], thread);
    copy_rows<Word>(task, blocks[now], own, thread);
    __syncthreads();
    own = next;
  }
}

template <class Word>
__device__ void pull_turned(const PullTask& task) {
  __shared__ SharedTurned<Word> blocks[2];
  __shared__ SharedWords<Word> words;
  const int thread = static_cast<int>(threadIdx.x);
  Place own{};
  if (blockIdx.x < task.tiles) own = find_places<true>(task, blockIdx.x, blocks[0], thread);
  __syncthreads();
  int now = 0;
  for (Long tile = blockIdx.x; tile < task.tiles; tile += gridDim.x, now = 1 - now) {
    read_turned(task, blocks[now], words, own, thread);
    Place next{};
    if (tile + gridDim.x < task.tiles) next = find_places<true>(task, tile + gridDim.x, blocks[1 - now], thread);
    __syncthreads();
    write_turned(task, blocks[now], words, thread);
    __syncthreads();
    own = next;
  }
}

template <class Wide>
__device__ void reduce(const ReduceTask& task) {
  __shared__ SharedValues<Wide> block;
  const int thread = static_cast<int>(threadIdx.x);
  reduce_elements(task, blockIdx.x, gridDim.x, block, thread);
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    reduce_halves(task, blockIdx.x, block, half, thread);
    __syncthreads();
  }
  write_result(task, blockIdx.x, block, thread);
}

}  // namespace tridap::device

/// To compare the time of a launch with.
extern "C" __global__ void tridap_nothing(int) {}

extern "C" __global__ void tridap_combine(const tridap::device::CombineTask task) {
  const tridap::device::Long each = blockDim.x;
  tridap::device::combine_elements(task, blockIdx.x * each + threadIdx.x, gridDim.x * each);
}
extern "C" __global__ void tridap_combine_slot(const tridap::device::SlotTask task) {
  const tridap::device::Long each = blockDim.x;
  tridap::device::combine_slot(task, blockIdx.x * each + threadIdx.x, gridDim.x * each);
}

/// A compiler for CUDA uses so few registers that a processor has so many blocks at once.
#ifdef __HIPCC__
#define TRIDAP_BLOCKS(count)
#else
#define TRIDAP_BLOCKS(count) __launch_bounds__(tridap::device::threads, count)
#endif

#define TRIDAP_KERNELS(bytes, Word)                                                             \
  extern "C" __global__ void tridap_rows_##bytes(const tridap::device::PullTask task) {         \
    tridap::device::pull_rows<Word>(task);                                                      \
  }                                                                                             \
  extern "C" __global__ void TRIDAP_BLOCKS(bytes > 8 ? 4 : 5)                                   \
      tridap_turned_##bytes(const tridap::device::PullTask task) {                              \
    tridap::device::pull_turned<Word>(task);                                                    \
  }                                                                                             \
  extern "C" __global__ void tridap_slot_##bytes(const tridap::device::SlotTask task) {         \
    const tridap::device::Long each = blockDim.x;                                               \
    tridap::device::move_slot<Word>(task, blockIdx.x * each + threadIdx.x, gridDim.x * each);   \
  }
TRIDAP_KERNELS(1, std::uint8_t)
TRIDAP_KERNELS(2, std::uint16_t)
TRIDAP_KERNELS(4, std::uint32_t)
TRIDAP_KERNELS(8, std::uint64_t)
TRIDAP_KERNELS(16, tridap::device::Word16)

#define TRIDAP_REDUCE(name, Wide)                                                            \
  extern "C" __global__ void tridap_reduce_##name(const tridap::device::ReduceTask task) {    \
    tridap::device::reduce<Wide>(task);                                                       \
  }
TRIDAP_REDUCE(i64, std::int64_t)
TRIDAP_REDUCE(u64, std::uint64_t)
TRIDAP_REDUCE(f64, double)
TRIDAP_REDUCE(c128, tridap::redistribute::arithmetic::Complex<double>)
