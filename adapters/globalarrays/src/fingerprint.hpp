#pragma once

#include "description.hpp"
#include <tridap/index.hpp>
#include <tridap/internal/digest.hpp>

#include <vector>

namespace tridap::globalarrays {

/// What tells a Global Array from another one of the same handle: made of its group, type and shape, and of where this
/// process's part begins and ends.
using Fingerprint = Index;

/// That of a handle that GA_Verify_handle knows. Local.
Fingerprint fingerprint(int handle);

/// The same, of what was asked already: a part of one block.
inline Fingerprint fingerprint(const Description& d, const LocalPart& part) {
  Digest digest;
  for (const Index number : {Index{d.group}, Index{d.type}, static_cast<Index>(d.ndim)}) digest.add(number);
  for (std::size_t axis = 0; axis < d.ndim; ++axis)
    for (const Index number : {d.shape[axis], part.begin[axis], part.begin[axis] + part.extent[axis] - 1})
      digest.add(number);
  return digest.value();
}

/// What of it is the same on all processes, in as many numbers for any array. Local.
std::vector<Index> shape_and_type(int handle);

}  // namespace tridap::globalarrays
