#pragma once

#include <tridap/distribution.hpp>

#include <vector>

namespace tridap {

/// A box of padding and the box of interior elements that it repeats. Both are boxes of local indices with the same
/// extents, one range for each axis, on two processes.
struct PaddingMove {
  Index process = 0;         ///< the rank of the other process
  std::vector<Range> here;   ///< in this process's buffer
  std::vector<Range> there;  ///< in the buffer of `process`

  Index count() const;  ///< number of elements; throws Error if it does not fit 64 bits
};

/// How the padding of one process's buffer is filled from the interiors of all processes: the result of padding_plan().
///
/// 8 elements are on a periodic axis over 2 coordinates, with padding 1 on both sides. Process 0 holds the global
/// indices 0 to 4. Index 0 mirrors 6, and index 4 is owned by process 1. So local index 0 repeats local index 3 of
/// process 1, and local index 4 repeats local index 1 of process 1: `receive` is {1, [0, 1), [3, 4)} and {1, [4, 5),
/// [1, 2)}. On process 1, local index 0 repeats local index 3 of process 0, and the mirror at local index 4 repeats
/// local index 1 of process 0: `send` is {1, [3, 4), [0, 1)} and {1, [1, 2), [4, 5)}.
struct PaddingPlan {
  /// This process's padding `here` repeats the interior `there` of another process. Ascending by process, then in the
  /// row-major order of `here`.
  std::vector<PaddingMove> receive;
  /// The padding `there` of another process repeats this process's interior `here`. Ascending by process, then in the
  /// row-major order of `there`. So the k-th box sent to a process is the k-th box that it receives from this process.
  std::vector<PaddingMove> send;
  /// This process's padding `here` repeats its own interior `there`, for example on a periodic axis with one
  /// coordinate. In the row-major order of `here`.
  std::vector<PaddingMove> own;
};

/// Finds which interior elements fill the padding of a process, without communication. Padding is communication
/// padding, the mirrors of periodic axes, and elements that are either on several axes. `receive` and `own` fill each
/// element of Part::local outside Part::interior once, from the interior element that it repeats. Padding that repeats
/// a neighbour's mirror is filled from the element that is mirrored.
///
/// The boxes are as large as possible. The time is proportional to their number and, on each axis, to the number of
/// coordinates that its padding repeats. It does not depend on the number of elements or on the size of the whole grid.
PaddingPlan padding_plan(const Distribution& distribution, Index process);

/// The same elements without padding and mirrors: those of Part::interior, with the numbers 0, 1, 2, ... on each block
/// axis. Other axes do not change.
Axis interior_of(const Axis& axis);
Distribution interior_of(const Distribution& distribution);

}  // namespace tridap
