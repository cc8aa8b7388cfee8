#pragma once

#include <tridap/dimension.hpp>
#include <tridap/index.hpp>
#include <tridap/kinds.hpp>
#include <tridap/version.hpp>

namespace tridap {

/// The local indices of a part of the buffer, as one valid dimension (check_dimension()) says it by itself, in the
/// version that it is written in: no Distribution, and no other process, is asked.
///
/// For `start` 4, `stop` 11 and padding (1, 2) in the middle of a grid, 0.10 holds local indices [0, 7) and owns
/// [1, 5); 0.9 holds [0, 10) and owns [1, 8). Mirrors, the owned edge padding of a periodic axis, are 0.10's alone: in
/// 0.9 a periodic edge's padding is communication padding [block.padding, block.periodic].
Range local_part(const Dimension& dimension, Part part, Version version = Version::v0_10);

/// The global index of a local one, `0 <= local < local_part(dimension, Part::local).size()`, as one valid dimension of
/// 0.10 says it by itself. Of an unstructured one it reads the whole list.
Index global_index(const Dimension& dimension, Index local);

/// A valid dimension as another version of the protocol says it: padded blocks shift by their padding. Throws Error for
/// the padded blocks of a periodic axis, whose `size` and `start` differ by what their neighbours say;
/// gather_distribution() knows them. To 0.9, where padding stands on all coordinates or on none, blocks of several
/// coordinates say (0, 0) for none. `axis` is for the message.
Dimension in_version(Dimension dimension, Version from, Version to, Index axis);

}  // namespace tridap
