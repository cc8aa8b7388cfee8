#pragma once

#include <tridap/distribution.hpp>

#include <array>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace tridap {

/// The most coordinates, or indices, that a maker writes out where a layout has no shorter form: beyond it they refuse,
/// instead of running out of memory. Lists that are given may be longer.
inline constexpr Index most_listed = Index{1} << 24;

/// An axis in ranges that follow one another.
struct BlockSpec {
  /// Elements of every share but the last ones; nothing: ceil(size / grid), or, where the last of these could not hold
  /// its padding, as even as can be.
  std::optional<Index> length;
  std::optional<std::vector<Index>> starts;  ///< instead: the first index that each coordinate owns
  Index padding = 0;                         ///< communication padding on both sides of every inner border, elements
  std::array<Index, 2> edges = {0, 0};       ///< boundary padding at the lower and upper end; it counts in `size`
  bool periodic = false;                     ///< the edges mirror what stands a period away
};

/// An axis in blocks dealt round-robin, coordinate `first` being served first.
struct CyclicSpec {
  Index block_size = 1, first = 0;
};

/// An axis as lists of global indices, one for each coordinate; `size` is the sum of their lengths.
struct UnstructuredSpec {
  std::vector<std::vector<Index>> lists;
  bool one_to_one = false;  ///< a claim that no index stands in two lists
};

/// An axis that is not distributed.
struct WholeSpec {};

/// How one axis shall be dealt.
using AxisSpec = std::variant<BlockSpec, CyclicSpec, UnstructuredSpec, WholeSpec>;

inline BlockSpec block() { return {}; }
inline BlockSpec block(Index length) { return {length, {}, 0, {0, 0}, false}; }
inline BlockSpec block_at(std::vector<Index> starts) { return {{}, std::move(starts), 0, {0, 0}, false}; }
/// Blocks with the same padding everywhere, at the outer edges too; as the protocol's example 2.2.
inline BlockSpec padded_block(Index padding, bool periodic = false) {
  return {{}, {}, padding, {padding, padding}, periodic};
}
inline CyclicSpec cyclic(Index block_size = 1, Index first = 0) { return {block_size, first}; }
inline UnstructuredSpec unstructured(std::vector<std::vector<Index>> lists, bool one_to_one = false) {
  return {std::move(lists), one_to_one};
}
inline WholeSpec whole() { return {}; }

/// The axis that a spec makes of `size` elements over `grid` coordinates; what is wrong goes to `report`, under `axis`,
/// and nothing comes back. Costs nothing in proportion to `size`; in proportion to `grid` only where shares are
/// irregular or padded, and there `most_listed` limits what is padded.
std::optional<Axis> make_axis(Index size, const AxisSpec& spec, Index grid, Index axis, Report& report);

/// A process grid of `processes` places whose extents are as close to one another as can be, in falling order, as
/// MPI_Dims_create has it: 12 over 2 axes is 4 x 3. Throws Error for `processes < 1`, and for none of axes but one
/// process.
std::vector<Index> near_square_grid(Index processes, Index ndim);

/// The same for axes that are dealt as `specs` say: whole axes have one coordinate, axes with lists or starts as many
/// as these, and the rest shares what is left. Throws Error where that does not divide.
std::vector<Index> default_grid(Index processes, const std::vector<AxisSpec>& specs);

}  // namespace tridap
