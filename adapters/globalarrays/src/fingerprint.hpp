#pragma once

#include "description.hpp"
#include <tridap/index.hpp>

#include <cstdint>
#include <vector>

namespace tridap::globalarrays {

/// What tells a Global Array from another one of the same handle: made of its group, type and shape, and of where this
/// process's part begins and ends.
using Fingerprint = std::uint64_t;

/// A number of others, each of which changes it.
class Mixed {
 public:
  Mixed(int group, int type, Index axes) : number_((group * Index{1000003} + type) * 8 + axes) {}
  void add(Index other) {
    number_ = (number_ ^ static_cast<std::uint64_t>(other)) * 0x9e3779b97f4a7c15u;  // odd: nothing is lost
  }
  Fingerprint number() const { return number_; }

 private:
  std::uint64_t number_;
};

/// That of a handle that GA_Verify_handle knows. Local.
Fingerprint fingerprint(int handle);

/// The same, of what was asked already: a part of one block.
inline Fingerprint fingerprint(const Description& d, const LocalPart& part) {
  Mixed mixed(d.group, d.type, static_cast<Index>(d.ndim));
  for (std::size_t axis = 0; axis < d.ndim; ++axis)
    for (const Index number : {d.shape[axis], part.begin[axis], part.begin[axis] + part.extent[axis] - 1})
      mixed.add(number);
  return mixed.number();
}

/// What of it is the same on all processes, in as many numbers for any array. Local.
std::vector<Index> shape_and_type(int handle);

}  // namespace tridap::globalarrays
