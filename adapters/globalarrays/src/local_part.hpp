#pragma once

#include "description.hpp"

#include <algorithm>

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

/// This process's part of a Global Array.
struct LocalPart {
  bool placed = false;    ///< it holds a place of the grid; if not, the other members have no meaning
  Extents coordinates;    ///< of the place
  Extents begin, extent;  ///< owned elements, if `blocks`: the first global index, and how many
  Extents width{};        ///< ghost cells on each side of these
  void* data = nullptr;   ///< where it begins in memory, ghost cells included; null: it holds nothing

  bool has_ghosts() const {
    return std::any_of(width.begin(), width.end(), [](Index wide) { return wide > 0; });
  }
};

/// Throws Error if the part's ghost cells cannot be determined. Not for `linear`.
LocalPart part_of(const Description& description);

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
