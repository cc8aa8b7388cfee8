#pragma once

#include "claims.hpp"

#pragma GCC visibility push(hidden)

namespace tridap::drawing {

/// An axis in cells of `step` positions; the last one may have fewer.
struct ClaimCells {
  Index first = 0, step = 1, count = 0;
  Index end = 0;  ///< behind the last position

  Range operator[](Index cell) const {
    const Index begin = first + cell * step;
    return {begin, step < end - begin ? begin + step : end};
  }
};

/// The positions of an axis that are drawn, in at most `most` cells.
ClaimCells cells_of(const AxisClaims& axis, Index most);

/// What a cell of a group of processes shows.
enum class ClaimLook { nothing, padding, part, owned };
ClaimLook look_of(const AxisClaim& claim, Range cell);

/// What a cell shows of all processes together.
enum class MarkLook { nothing, gap, overlap };
MarkLook mark_of(const AxisClaims& axis, Range cell);

/// The numbers of the groups that a drawing lists if there is room for `most`: all, or those at a gap or an overlap,
/// those that cannot be read, and then the first others.
std::vector<std::size_t> listed_claims(const AxisClaims& axis, std::size_t most);

/// The lines that name the gaps and overlaps: "overlap [8, 9): ranks 1 and 2". At most `most`, then how many others.
std::vector<std::string> mark_lines(const AxisClaims& axis, std::size_t most);

/// What a drawing says of the whole axis: "Axis 0: size 12". Then whether only its beginning is drawn.
std::string axis_title(const AxisClaims& axis, std::size_t number);

}  // namespace tridap::drawing

#pragma GCC visibility pop
