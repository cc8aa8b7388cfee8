#include "fingerprint.hpp"

#include "ga.hpp"

#include <algorithm>
#include <initializer_list>
#include <tuple>

namespace dap::globalarrays {

namespace {

struct Part {
  int64_t lo[GA_MAX_DIM] = {}, hi[GA_MAX_DIM] = {};
};

Part own_part(int handle) {
  Part part;
  NGA_Distribution64(handle, GA_Pgroup_nodeid(GA_Get_pgroup(handle)), part.lo, part.hi);
  return part;
}

}  // namespace

Fingerprint fingerprint(int handle) {
  static_assert(3 + 3 * GA_MAX_DIM <= std::tuple_size_v<decltype(Fingerprint::numbers)>);
  int type = 0, axes = 0;
  int64_t dims[GA_MAX_DIM] = {};
  NGA_Inquire64(handle, &type, &axes, dims);
  const Part part = own_part(handle);
  Fingerprint made;
  Index* at = made.numbers.data();
  for (const int number : {GA_Get_pgroup(handle), type, axes}) *at++ = number;
  for (const int64_t* numbers : std::initializer_list<const int64_t*>{dims, part.lo, part.hi}) at = std::copy(numbers, numbers + axes, at);
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

void close_access(int handle) {
  Part part = own_part(handle);
  if (GA_Has_ghosts(handle) != 0) {
    NGA_Release_update_ghosts(handle);
  } else if (GA_Total_blocks(handle) >= 0) {
    NGA_Release_update_block_segment(handle, GA_Pgroup_nodeid(GA_Get_pgroup(handle)));
  } else if (part.lo[0] >= 0 && part.lo[0] <= part.hi[0]) {
    NGA_Release_update64(handle, part.lo, part.hi);
  }
}

}  // namespace dap::globalarrays
