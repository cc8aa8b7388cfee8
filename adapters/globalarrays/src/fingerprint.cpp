#include "fingerprint.hpp"

#include "ga.hpp"
#include "types.hpp"

namespace dap::globalarrays {

namespace {

// A number of others, each of which changes it.
class Mixed {
 public:
  Mixed(int group, int type, Index axes) : number_((group * Index{1000003} + type) * 8 + axes) {}
  void add(Index other) {
    number_ = (number_ ^ static_cast<std::uint64_t>(other)) * 0x9e3779b97f4a7c15u;  // odd: nothing is lost
    number_ ^= number_ >> 32;
  }
  Fingerprint number() const { return number_; }

 private:
  std::uint64_t number_;
};

}  // namespace

Fingerprint fingerprint(int handle) {
  int64_t dims[GA_MAX_DIM], lo[GA_MAX_DIM], hi[GA_MAX_DIM];
  int type = 0, axes = 0;
  const int group = GA_Get_pgroup(handle);
  NGA_Inquire64(handle, &type, &axes, dims);
  NGA_Distribution64(handle, GA_Pgroup_nodeid(group), lo, hi);
  Mixed mixed(group, type, axes);
  for (int axis = 0; axis < axes; ++axis)
    for (const Index number : {dims[axis], lo[axis], hi[axis]}) mixed.add(number);
  return mixed.number();
}

Fingerprint fingerprint(const Description& d, const Part& part) {
  Mixed mixed(d.group, d.type, static_cast<Index>(d.ndim));
  for (std::size_t axis = 0; axis < d.ndim; ++axis)
    for (const Index number : {d.shape[axis], part.begin[axis], part.begin[axis] + part.extent[axis] - 1})
      mixed.add(number);
  return mixed.number();
}

std::vector<Index> shape_and_type(int handle) {
  int type = 0, axes = 0;
  int64_t dims[GA_MAX_DIM] = {};
  NGA_Inquire64(handle, &type, &axes, dims);
  const bool known = built_in_type(type) != nullptr;  // others have numbers of each process's own
  std::vector<Index> made{known ? type : -1, axes};
  made.insert(made.end(), dims, dims + GA_MAX_DIM);
  return made;
}

}  // namespace dap::globalarrays
