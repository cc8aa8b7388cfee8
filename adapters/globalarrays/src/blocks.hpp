#pragma once

#include "description.hpp"

namespace tridap::globalarrays {

/// All blocks of `blocks`.
struct Blocks {
  std::vector<std::vector<Index>> bounds;  ///< by axis: block `i` is [bounds[i], bounds[i + 1])
  std::vector<Index> owners;               ///< by block, row-major: the rank in the group
};
/// In time in proportion to the processes. Throws Error where a block is nobody's.
Blocks blocks_of(const Description& description);

}  // namespace tridap::globalarrays
