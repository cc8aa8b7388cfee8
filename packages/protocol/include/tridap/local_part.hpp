#pragma once

#include <tridap/dimension.hpp>
#include <tridap/index.hpp>
#include <tridap/kinds.hpp>
#include <tridap/version.hpp>

namespace tridap {

/// The local indices of a part of the buffer, found from one valid dimension alone (see check_dimension()). It needs
/// neither a Distribution nor another process. `version` is the version that the dimension is written in.
///
/// For `start` 4, `stop` 11 and padding (1, 2) in the middle of a grid, 0.10 holds local indices [0, 7) and owns [1,
/// 5); 0.9 holds [0, 10) and owns [1, 8). Only 0.10 has mirrors, the owned edge padding of a periodic axis. In 0.9 the
/// padding of a periodic edge is communication padding [block.padding, block.periodic].
Range local_part(const Dimension& dimension, Part part, Version version = Version::v0_10);

/// The global index of a local one, `0 <= local < local_part(dimension, Part::local).size()`, found from one valid
/// dimension of 0.10 alone. If the dimension is unstructured, it reads the whole list.
Index global_index(const Dimension& dimension, Index local);

/// Converts a valid dimension to another version of the protocol: padded blocks shift by their padding. Throws Error
/// for padded blocks of a periodic axis, since their `size` and `start` also depend on the neighbours' padding: use
/// gather_distribution() for these. In 0.9 either all coordinates have `padding` or none, so a block without padding on
/// a grid of several coordinates gets (0, 0). `axis` is the number of the axis in the message.
Dimension in_version(Dimension dimension, Version from, Version to, Index axis);

}  // namespace tridap
