#include "fingerprint.hpp"

#include "ga.hpp"

#include <algorithm>

namespace dap::globalarrays {

bool Fingerprint::operator==(const Fingerprint& other) const {
  return group == other.group && type == other.type && axes == other.axes &&
         std::equal(of_axis.begin(), of_axis.begin() + axes, other.of_axis.begin());
}

Fingerprint fingerprint(int handle) {
  static_assert(GA_MAX_DIM <= std::tuple_size_v<decltype(Fingerprint::of_axis)>);
  Fingerprint made;
  int64_t dims[GA_MAX_DIM], lo[GA_MAX_DIM], hi[GA_MAX_DIM];
  made.group = GA_Get_pgroup(handle);
  NGA_Inquire64(handle, &made.type, &made.axes, dims);
  NGA_Distribution64(handle, GA_Pgroup_nodeid(made.group), lo, hi);
  for (int i = 0; i < made.axes; ++i) made.of_axis[static_cast<std::size_t>(i)] = {dims[i], lo[i], hi[i]};
  return made;
}

std::vector<Index> shape_and_type(int handle) {
  int type = 0, axes = 0;
  int64_t dims[GA_MAX_DIM] = {};
  NGA_Inquire64(handle, &type, &axes, dims);
  std::vector<Index> made{type, axes};
  made.insert(made.end(), dims, dims + GA_MAX_DIM);
  return made;
}

void close_access(int handle, const Fingerprint& array) {
  int64_t lo[GA_MAX_DIM], hi[GA_MAX_DIM];
  for (int i = 0; i < array.axes; ++i) {
    lo[i] = array.of_axis[static_cast<std::size_t>(i)][1];
    hi[i] = array.of_axis[static_cast<std::size_t>(i)][2];
  }
  if (GA_Has_ghosts(handle) != 0) {
    NGA_Release_update_ghosts(handle);
  } else if (GA_Total_blocks(handle) >= 0) {
    NGA_Release_update_block_segment(handle, GA_Pgroup_nodeid(array.group));
  } else if (lo[0] >= 0 && lo[0] <= hi[0]) {
    NGA_Release_update64(handle, lo, hi);
  }
}

}  // namespace dap::globalarrays
