#include "fingerprint.hpp"

#include "ga.hpp"

namespace tridap::globalarrays {

Fingerprint fingerprint(int handle) {
  int64_t dims[GA_MAX_DIM], lo[GA_MAX_DIM], hi[GA_MAX_DIM];
  int type = 0, axes = 0;
  const int group = GA_Get_pgroup(handle);
  NGA_Inquire64(handle, &type, &axes, dims);
  NGA_Distribution64(handle, GA_Pgroup_nodeid(group), lo, hi);
  Digest digest;
  for (const int number : {group, type, axes}) digest.add(number);
  for (int axis = 0; axis < axes; ++axis)
    for (const Index number : {dims[axis], lo[axis], hi[axis]}) digest.add(number);
  return digest.value();
}

void* local_memory(int handle) {
  const int rank = GA_Pgroup_nodeid(GA_Get_pgroup(handle));
  if (rank < 0) return nullptr;
  void* data = nullptr;
  int64_t elements = 0;
  NGA_Access_block_segment64(handle, rank, &data, &elements);
  return elements > 0 ? data : nullptr;
}

}  // namespace tridap::globalarrays
