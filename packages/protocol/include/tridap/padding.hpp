#pragma once

#include <tridap/distribution.hpp>

#include <vector>

namespace tridap {

/// A box of padding and the box of interior that it repeats, element by element: local indices of two processes, one
/// range for each axis and of the same extents.
struct PaddingMove {
  Index process = 0;         ///< the other one
  std::vector<Range> here;   ///< in our buffer
  std::vector<Range> there;  ///< in the buffer of `process`

  Index count() const;  ///< elements; throws Error where they do not fit 64 bits
};

/// How the padding of one process's buffer is filled from the interiors of all: what padding_plan() finds.
///
/// 8 elements on a periodic axis over 2 coordinates, padded by 1 everywhere: process 0 holds the global indices 0 to 4,
/// of which 0 mirrors 6 and 4 is process 1's. So local index 0 repeats process 1's 3, and 4 repeats its 1: `receive` is
/// {1, [0, 1), [3, 4)} and {1, [4, 5), [1, 2)}. In turn process 1's local index 0 repeats our 3, and its mirror 4 our
/// 1: `send` is {1, [3, 4), [0, 1)} and {1, [1, 2), [4, 5)}.
struct PaddingPlan {
  /// Our padding `here` repeats the interior `there` of another process; ascending by process, then in the row-major
  /// order of `here`.
  std::vector<PaddingMove> receive;
  /// Our interior `here` is repeated by the padding `there` of another process; ascending by process, then in the
  /// row-major order of `there`: the k-th box that we send to a process is the k-th that it receives from us.
  std::vector<PaddingMove> send;
  /// Our padding `here` repeats our own interior `there`, as where a periodic axis has one coordinate; in the row-major
  /// order of `here`.
  std::vector<PaddingMove> own;
};

/// Who fills whose padding, without communication: communication padding, the mirrors of periodic axes and what is
/// either on several axes. `receive` and `own` fill each element of Part::local outside Part::interior once, from the
/// interior element that it stands for: padding that repeats a neighbour's mirror is filled from what that mirrors.
///
/// The boxes are as large as can be. Takes time in proportion to their number and, on each axis, to how many
/// coordinates its padding repeats; never to the elements or to the processes of the whole grid.
PaddingPlan padding_plan(const Distribution& distribution, Index process);

}  // namespace tridap
