#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tridap {

/// A part of a distributed array, taken along one axis as a Python slice takes it, in the same memory.
///
/// Of 10 elements over 2 coordinates, block, `slice(distribution, 0, 3, 9, 2)` is 3 elements (3, 5, 7): coordinate 0
/// keeps 3, coordinate 1 keeps 5 and 7, and the distribution is an irregular block.
struct Slice {
  Distribution distribution;         ///< of the part; element `i` of the axis was element `start + i * step`
  std::vector<std::string> changes;  ///< what became of the axis: "became unstructured", "its padding is left out"
  Index axis = 0;

  /// The local elements that coordinate `c` of the axis keeps: from `first` on, every `step`-th one, in the direction
  /// of its sign.
  struct Local {
    Index first = 0, step = 1, count = 0;
  };
  std::vector<Local> kept;  ///< by coordinate

  /// One process's part of the sliced array: the same memory and owner, no copy. `array` is what that process held of
  /// the whole. Unknown keys of the dictionaries are passed on.
  DistArray of(const DistArray& array, Index process) const;
};

/// Takes elements `start, start + step, ...` before `stop` of one axis, and for a negative step downwards to after
/// `stop`. Forwards, both are in `[0, size]`; backwards, in `[-1, size)`, as of size 4 and step -1 the whole is from 3
/// to -1. An unstructured axis is taken by its indices, and each coordinate's keep their order; `start` and `stop` are
/// any of 62 bits. What the elements' owners then hold is a distribution of the protocol, or becomes unstructured, and
/// says so; a share in which nothing is left is empty. Communication padding is left out, unless the whole axis is
/// taken. Throws Error where a bound is outside, `step` is 0, what one coordinate keeps does not stand evenly in its
/// memory, or the result is unstructured with more than 2^28 indices. Takes time in proportion to the coordinates, to
/// the blocks passed where steps and blocks are at odds, and to the elements kept where the result is unstructured.
Slice slice(const Distribution& distribution, Index axis, Index start, Index stop, Index step = 1);

}  // namespace tridap
