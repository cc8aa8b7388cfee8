#pragma once

#include "extras.hpp"
#include <tridap/dimension.hpp>

#include <array>
#include <limits>
#include <tuple>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap {

// The values of one axis that may differ between its coordinates: six numbers; unused ones are 0.
using AxisRecord = std::array<Index, 6>;
using AxisRecords = std::vector<std::vector<AxisRecord>>;  // by axis and coordinate
enum Field : std::size_t {
  start,
  stop,
  padded,
  left,
  right,
  unknown  // a digest of the unknown keys
};  // for an unstructured axis, the numbers of its list: `start` a digest, `stop` the length, the smallest and the
    // largest
inline constexpr std::size_t record_width = std::tuple_size_v<AxisRecord>;

/// Numbers of a list of indices.
struct ListSummary {
  Index digest = 0, smallest = std::numeric_limits<Index>::max(), largest = std::numeric_limits<Index>::min();
};

inline AxisRecord record_of(const Dimension& dimension, const ListSummary& list) {
  const Index unknown_keys = digest_of(dimension.extras);
  if (const auto* block = std::get_if<Block>(&dimension.dist)) {
    const auto [lower, upper] = block->padding.value_or(std::array<Index, 2>{0, 0});
    return {block->start, block->stop, block->padding.has_value(), lower, upper, unknown_keys};
  }
  if (const auto* cyclic = std::get_if<Cyclic>(&dimension.dist)) return {cyclic->start, 0, 0, 0, 0, unknown_keys};
  const Index length = std::get<Unstructured>(dimension.dist).indices.buffer.shape[0];
  return {list.digest, length, 0, list.smallest, list.largest, unknown_keys};
}

}  // namespace tridap

#pragma GCC visibility pop
