#pragma once

#include "description.hpp"

#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

/// All blocks of an array whose scheme is `blocks`.
struct Blocks {
  std::vector<std::vector<Index>> bounds;  ///< by axis: block `i` is [bounds[i], bounds[i + 1])
  std::vector<Index> owners;               ///< by block, row-major: the rank in the group
};
/// Takes time in proportion to the number of processes. Throws Error if a block is on no process.
Blocks blocks_of(const Description& description);

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
