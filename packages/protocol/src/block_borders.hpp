#pragma once

#include <tridap/dimension.hpp>
#include <tridap/report.hpp>
#include <tridap/version.hpp>

#include <array>
#include <optional>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap {

/// The block of one coordinate as its processes state it; it breaks no rule alone.
struct StatedBlock {
  Index start = 0, stop = 0;
  std::array<Index, 2> widths = {0, 0};  ///< of communication padding, elements
  Index begin = 0, end = 0;   ///< the owned range: in 0.10 [start, stop) without `widths`, in 0.9 [start, stop)
  std::optional<Index> room;  ///< elements of the buffer without `widths`; nullopt: not known
};

/// The block of a coordinate of `grid`. `extent` is that of its buffer, in elements.
StatedBlock stated_block(const Dimension& dimension, std::optional<Index> extent, Version version);

/// Which of two numbers at a border the other numbers support.
enum class Support { neither, of_left, of_right };

/// Finds the borders at which the owned ranges do not meet [block.tiling]. `process` and `others` of a finding are
/// coordinates.
///
/// A finding names both coordinates at a border and both numbers. Its `process` is the coordinate whose number the
/// others contradict: first the extents of the two buffers decide, then whether all other borders are those of an even
/// distribution, or of blocks of one length. If neither decides, it is the left one, and the finding says so. Three
/// patterns are one finding each: every 'stop' is the last index; blocks that overlap at every border, like a halo
/// without 'padding'; and a border whose two padding widths explain the gap, which is left to
/// [block.padding.neighbour].
///
/// For 30 elements over 3 processes, [0, 10), [10, 21), [20, 30): the border of coordinates 1 and 2 is 21 or 20. With
/// 20 the blocks have 10 elements each, so the finding is at coordinate 1.
std::vector<Finding> unmet_borders(const std::vector<StatedBlock>& blocks, Index size, Index axis, Version version);

/// The same for two padding widths at the border of coordinates `left` and `right` that differ
/// [block.padding.neighbour]. In 0.10 a block overlaps the next one by twice the width.
Support supported_width(const std::vector<StatedBlock>& blocks, Index left, Index right, Version version);

}  // namespace tridap

#pragma GCC visibility pop
