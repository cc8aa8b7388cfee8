#pragma once

#include "description.hpp"

namespace tridap::globalarrays {

/// The bytes from one element to the next, by what GA says of addresses; 0: the part is too small to tell. `stored`:
/// the extents of the part in memory, which is row-major.
Index element_length(const Description& description, const LocalPart& part, const Extents& stored);
/// Whether every process's part is large enough to tell: the same on all. In time in proportion to the processes,
/// or to the tiles along each axis.
bool tells_length(const Description& description, const LocalPart& part);

}  // namespace tridap::globalarrays
