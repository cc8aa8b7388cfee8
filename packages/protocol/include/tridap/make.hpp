#pragma once

#include <tridap/distribution.hpp>

#include <array>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace tridap {

/// The most coordinates, or indices, that are written out as a list if a distribution has no shorter form. A longer
/// list is refused, so that the process does not run out of memory. Lists that the caller gives may be longer.
inline constexpr Index most_listed = Index{1} << 24;

/// An axis in consecutive ranges.
struct BlockSpec {
  /// The length of every share except the last ones, elements. If absent: ceil(size / grid). But if the last of these
  /// shares is too short for its padding, all lengths differ by at most one.
  std::optional<Index> length;
  std::optional<std::vector<Index>> starts;  ///< instead of `length`: the first index that each coordinate owns
  Index padding = 0;                         ///< communication padding on both sides of every inner border, elements
  std::array<Index, 2> edges = {0, 0};  ///< boundary padding at the lower and upper end, elements; included in `size`
  bool periodic = false;                ///< the edges mirror the elements one period away
};

/// An axis in blocks that are distributed round-robin, beginning with coordinate `first`.
struct CyclicSpec {
  Index block_size = 1, first = 0;
};

/// An axis as lists of global indices, one for each coordinate. `size` is the sum of their lengths.
struct UnstructuredSpec {
  std::vector<std::vector<Index>> lists;
  bool one_to_one = false;  ///< true: the caller states that no index is in two lists
};

/// An axis that is not distributed.
struct WholeSpec {};

/// How one axis is to be distributed.
using AxisSpec = std::variant<BlockSpec, CyclicSpec, UnstructuredSpec, WholeSpec>;

inline BlockSpec block() { return {}; }
inline BlockSpec block(Index length) { return {length, {}, 0, {0, 0}, false}; }
inline BlockSpec block_at(std::vector<Index> starts) { return {{}, std::move(starts), 0, {0, 0}, false}; }
/// Blocks with the same padding on both sides, also at the outer edges, as in the protocol's example 2.2.
inline BlockSpec padded_block(Index padding, bool periodic = false) {
  return {{}, {}, padding, {padding, padding}, periodic};
}
inline CyclicSpec cyclic(Index block_size = 1, Index first = 0) { return {block_size, first}; }
inline UnstructuredSpec unstructured(std::vector<std::vector<Index>> lists, bool one_to_one = false) {
  return {std::move(lists), one_to_one};
}
inline WholeSpec whole() { return {}; }

/// The axis of `size` elements over `grid` coordinates that a spec describes. If the spec is wrong, adds the violations
/// to `report` with the axis number `axis`, and returns nullopt. The time does not depend on `size`. It is proportional
/// to `grid` only if shares are irregular or padded. A padded axis has at most `most_listed` coordinates.
std::optional<Axis> make_axis(Index size, const AxisSpec& spec, Index grid, Index axis, Report& report);

/// A process grid for `processes` processes whose extents are as close to one another as possible, in descending order,
/// as MPI_Dims_create gives it: 12 processes over 2 axes are 4 x 3. Throws Error if `processes < 1`, or if `ndim` is 0
/// and `processes` is not 1.
std::vector<Index> near_square_grid(Index processes, Index ndim);

/// The same for axes that are distributed as in `specs`. A whole axis has one coordinate. An axis with lists or starts
/// has one for each of them. The other axes share the remaining processes. Throws Error if the number of processes
/// cannot be divided so.
std::vector<Index> default_grid(Index processes, const std::vector<AxisSpec>& specs);

}  // namespace tridap
