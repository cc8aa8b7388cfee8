#pragma once

#include "extras.hpp"
#include <tridap/dimension.hpp>
#include <tridap/report.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap {

inline constexpr Index lowest = std::numeric_limits<Index>::min();

// The values of one axis that may differ between processes: six numbers; unused ones are 0.
using AxisRecord = std::array<Index, 6>;
enum Field : std::size_t {
  start,
  stop,
  padded,
  left,
  right,
  unknown  // a digest of the unknown keys
};         // for an unstructured axis, `stop` is the length of its list

inline AxisRecord record_of(const Dimension& dimension) {
  const Index unknown_keys = digest_of(dimension.extras);
  if (const auto* block = std::get_if<Block>(&dimension.dist)) {
    const auto [lower, upper] = block->padding.value_or(std::array<Index, 2>{0, 0});
    return {block->start, block->stop, block->padding.has_value(), lower, upper, unknown_keys};
  }
  if (const auto* cyclic = std::get_if<Cyclic>(&dimension.dist)) return {cyclic->start, 0, 0, 0, 0, unknown_keys};
  return {0, std::get<Unstructured>(dimension.dist).indices.buffer.shape[0], 0, 0, 0, unknown_keys};
}

// What other processes can use of an axis: everything; its place in the process grid; nothing.
enum State : Index { sound, wrong, nowhere };

// The values that must be the same on all processes: those of the array; and for each axis its state on this process
// and six keys. The first `axes_at_once` axes are in the same reduction, which has a fixed size.
enum ArrayKey : std::size_t {
  version_code,
  ndim,
  type_kind,
  type_bytes,
  type_order,
  type_description,
  misplaced,
  faulty,
  array_keys
};
inline constexpr std::size_t axes_at_once = 8;
struct AxisKey {
  const char* name;
  Rule rule;
};
inline constexpr std::array<AxisKey, 6> axis_key = {{{"dist_type", Rule::agree_dist_type},
                                                     {"size", Rule::agree_size},
                                                     {"proc_grid_size", Rule::agree_proc_grid_size},
                                                     {"block_size", Rule::agree_block_size},
                                                     {"periodic", Rule::agree_periodic},
                                                     {"one_to_one", Rule::agree_one_to_one}}};
inline constexpr std::size_t dist_type_key = 0, grid_key = 2, block_size_key = 3, one_to_one_key = 5;
inline constexpr std::size_t per_axis = 1 + axis_key.size();

/// The value of something unknown, which is not compared.
inline constexpr Index not_known = lowest;

inline void append_values(std::vector<Index>& values, const Dimension& d, State state) {
  const auto* cyclic = std::get_if<Cyclic>(&d.dist);
  const auto* unstructured = std::get_if<Unstructured>(&d.dist);
  if (state != sound)
    values.insert(values.end(), {state, not_known, not_known, state == wrong ? d.proc_grid_size : not_known, not_known,
                                 not_known, not_known});
  else
    values.insert(values.end(), {state, d.dist_type(), d.size, d.proc_grid_size, cyclic ? cyclic->block_size : 0,
                                 d.periodic ? 1 : 0, unstructured && unstructured->one_to_one ? 1 : 0});
}

}  // namespace tridap

#pragma GCC visibility pop
