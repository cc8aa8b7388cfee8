#pragma once

#include <tridap/capture.hpp>

#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::drawing {

/// What some processes state about one axis.
struct AxisClaim {
  std::vector<Index> processes;  ///< their ranks, ascending
  Index coordinate = 0;
  std::string words;           ///< "start 4, stop 9", "cannot be read"
  bool known = true;           ///< false: the dictionary could not be read
  std::vector<Range> owned;    ///< positions, ascending
  std::vector<Range> padding;  ///< of communication padding
};

/// Positions that no coordinate owns, or several ones.
struct ClaimMark {
  Range range;
  bool is_gap = false;  ///< false: an overlap
  std::vector<Index>
      processes;  ///< that own them; of a gap those that do not, if other processes at their coordinate do
};

/// What all processes state about one axis. A position is a global index. If the axis is unstructured on all processes,
/// it is the place among the indices that some process holds, ascending.
struct AxisClaims {
  Index size = 0;                  ///< the most frequent one
  std::vector<Index> other_sizes;  ///< those that the other processes state, ascending
  std::vector<AxisClaim> claims;   ///< ascending by coordinate, then by rank
  Range shown;                     ///< positions that are drawn: all that some process owns, and [0, size)
  bool complete = true;            ///< false: the axis goes on behind `shown`, and is not looked at there
  std::vector<ClaimMark> marks;    ///< within `shown`, ascending; at most 1000
  bool more_marks = false;         ///< there are others behind them
  std::vector<Index> indices;      ///< by position; empty: the position itself

  Index index(Index position) const;  ///< the global index at a position of `shown`
};

/// By axis; the number of axes is that of the process with most of them.
std::vector<AxisClaims> claims_of_axes(const Capture& capture);

/// How much of some positions is in a list of ranges.
enum class Coverage { none, some, all };
Coverage coverage(const std::vector<Range>& ranges, Range cell);

/// "rank 3", "ranks 0, 1 and 4", "ranks 0 to 7": at most `most` parts, then "and others".
std::string ranks_text(const std::vector<Index>& ranks, std::size_t most = 6);

/// The positions of a mark as global indices: "[8, 9)", and of an unstructured axis "index 8", "indices 8 to 12".
std::string range_text(const AxisClaims& axis, Range range);

/// "size 12", "size 12 on most processes, 13 on others".
std::string size_text(const AxisClaims& axis);

}  // namespace tridap::drawing

#pragma GCC visibility pop
