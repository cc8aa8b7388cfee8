#include "memory.hpp"

#include "ga.hpp"

#include <cstdint>

namespace tridap::globalarrays {

const void* local_memory(int handle) {
  const int rank = GA_Pgroup_nodeid(GA_Get_pgroup(handle));
  if (rank < 0) return nullptr;
  void* data = nullptr;
  int64_t elements = 0;
  NGA_Access_block_segment64(handle, rank, &data, &elements);
  return elements > 0 ? data : nullptr;
}

}  // namespace tridap::globalarrays
