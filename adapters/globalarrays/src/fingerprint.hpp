#pragma once

#include "description.hpp"
#include <tridap/index.hpp>
#include <tridap/internal/digest.hpp>

#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

/// Distinguishes a Global Array from another one of the same handle. It is made of the array's group, type and shape,
/// and of the begin and end of this process's part.
using Fingerprint = Index;

/// The fingerprint of a handle that GA_Verify_handle knows. Local.
Fingerprint fingerprint(int handle);

/// The same for a part of one block, from values that are already known.
inline Fingerprint fingerprint(const Description& d, const LocalPart& part) {
  Digest digest;
  for (const Index number : {Index{d.group}, Index{d.type}, static_cast<Index>(d.ndim)}) digest.add(number);
  for (std::size_t axis = 0; axis < d.ndim; ++axis)
    for (const Index number : {d.shape[axis], part.begin[axis], part.begin[axis] + part.extent[axis] - 1})
      digest.add(number);
  return digest.value();
}

/// The part of a fingerprint's data that is the same on all processes: equally many numbers for any array. Local.
std::vector<Index> shape_and_type(int handle);

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
