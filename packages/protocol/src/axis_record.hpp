#pragma once

#include "extras.hpp"
#include <tridap/dimension.hpp>

#include <array>
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
};         // for an unstructured axis, `stop` is the length of its list
inline constexpr std::size_t record_width = std::tuple_size_v<AxisRecord>;

inline AxisRecord record_of(const Dimension& dimension) {
  const Index unknown_keys = digest_of(dimension.extras);
  if (const auto* block = std::get_if<Block>(&dimension.dist)) {
    const auto [lower, upper] = block->padding.value_or(std::array<Index, 2>{0, 0});
    return {block->start, block->stop, block->padding.has_value(), lower, upper, unknown_keys};
  }
  if (const auto* cyclic = std::get_if<Cyclic>(&dimension.dist)) return {cyclic->start, 0, 0, 0, 0, unknown_keys};
  return {0, std::get<Unstructured>(dimension.dist).indices.buffer.shape[0], 0, 0, 0, unknown_keys};
}

}  // namespace tridap

#pragma GCC visibility pop
