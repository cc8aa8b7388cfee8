#include "fingerprint.hpp"

#include "ga.hpp"
#include "types.hpp"

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

std::vector<Index> shape_and_type(int handle) {
  int type = 0, axes = 0;
  int64_t dims[GA_MAX_DIM] = {};
  NGA_Inquire64(handle, &type, &axes, dims);
  const bool known = built_in_type(type) != nullptr;  // for other types, each process has its own numbers
  std::vector<Index> made{known ? type : -1, axes};
  made.insert(made.end(), dims, dims + GA_MAX_DIM);
  return made;
}

}  // namespace tridap::globalarrays
