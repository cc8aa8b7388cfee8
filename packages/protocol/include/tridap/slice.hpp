#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tridap {

/// A part of a distributed array, in the same memory, selected along one axis as by a Python slice.
///
/// For 10 elements in blocks over 2 coordinates, `slice(distribution, 0, 3, 9, 2)` selects the elements 3, 5 and 7.
/// Coordinate 0 keeps 3, coordinate 1 keeps 5 and 7. The result has an irregular block distribution.
struct Slice {
  Distribution distribution;         ///< of the part; its element `i` was element `start + i * step`
  std::vector<std::string> changes;  ///< how the axis changed: "became unstructured", "its padding is left out"
  Index axis = 0;

  /// The `count` local elements that a coordinate keeps: `first`, `first + step`, and so on. `step` may be negative.
  struct Local {
    Index first = 0, step = 1, count = 0;
  };
  std::vector<Local> kept;  ///< by coordinate

  /// One process's part of the slice, with the same memory and owner; nothing is copied. `array` is that process's part
  /// of the whole array. Unknown keys of the dictionaries are passed on.
  DistArray of(const DistArray& array, Index process) const;
};

/// Selects the elements `start, start + step, ...` of one axis, up to but without `stop`. If `step` is positive,
/// `start` and `stop` are in `[0, size]`. If it is negative, they are in `[-1, size)`: all elements of size 4 with step
/// -1 are from 3 to -1. On an unstructured axis the elements are selected by their indices, in the order of each
/// coordinate's list; `start` and `stop` are any numbers of 62 bits. Every process keeps the selected elements that it
/// owns. If the protocol cannot describe this as block or cyclic, the axis becomes unstructured, and `changes` says so.
/// A share without selected elements is empty. Communication padding is left out unless the whole axis is selected.
///
/// Throws Error if a bound is outside, if `step` is 0, if the elements that one coordinate keeps have no constant
/// stride in memory, or if the result is unstructured with more than 2^28 indices. The time is proportional to the
/// number of coordinates; if steps and blocks do not match, also to the number of blocks; if the result is
/// unstructured, also to the number of selected elements.
Slice slice(const Distribution& distribution, Index axis, Index start, Index stop, Index step = 1);

}  // namespace tridap
