#pragma once

#include "local_part.hpp"

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

/// The bytes from one element to the next, computed from addresses that GA returns; 0: the part is too small for that.
/// `stored`: the extents of the part in memory, which is row-major.
Index element_length(const Description& description, const LocalPart& part, const Extents& stored);
/// Whether every process's part is large enough for that: the same on all processes. Takes time in proportion to the
/// processes, or to the tiles along each axis.
bool tells_length(const Description& description, const LocalPart& part);

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
