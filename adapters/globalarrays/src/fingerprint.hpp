#pragma once

#include "local_part.hpp"
#include <tridap/index.hpp>
#include <tridap/internal/digest.hpp>

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

/// Where this process's part of a Global Array begins, its ghost cells included; null: it holds nothing. Local.
void* local_memory(int handle);

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
