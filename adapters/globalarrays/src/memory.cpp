#include "memory.hpp"

#include "ga.hpp"

#include <cstdint>

namespace dap::globalarrays {

const void* local_memory(int handle) {
  int64_t lo[GA_MAX_DIM], hi[GA_MAX_DIM], ld[GA_MAX_DIM];
  NGA_Distribution64(handle, GA_Pgroup_nodeid(GA_Get_pgroup(handle)), lo, hi);
  if (lo[0] < 0) return nullptr;
  void* data = nullptr;
  NGA_Access64(handle, lo, hi, &data, ld);
  return data;
}

}  // namespace dap::globalarrays
