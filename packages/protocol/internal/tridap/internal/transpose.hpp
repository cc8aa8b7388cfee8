#pragma once

#include <tridap/index.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace tridap {

/// Elements of a matrix in memory: bytes from one row to the next, and from one element of a row to the next.
struct MatrixSteps {
  Index row = 0, element = 0;
};

/// Copies elements of `length` bytes and any alignment, which do not overlap. Steps are in bytes, from one element to the next.
template <Index known = 0>
void copy_elements(std::byte* to, Index to_step, const std::byte* from, Index from_step, Index count, Index length) {
  const auto n = static_cast<std::size_t>(known > 0 ? known : length);
  for (Index k = 0; k < count; ++k, to += to_step, from += from_step) std::memcpy(to, from, n);
}

namespace tile {

constexpr Index row_bytes = 256, elements = 64, bytes = row_bytes * elements;

/// Copies the elements of one tile, so that those of a row are contiguous, and rows `elements` apart.
template <Index known>
void fill(std::byte* to, const std::byte* from, MatrixSteps steps, Index rows, Index count, Index length) {
  const Index n = known > 0 ? known : length;
  for (Index k = 0; k < count; ++k, from += steps.element, to += n)
    copy_elements<known>(to, elements * n, from, steps.row, rows, n);
}

}  // namespace tile

/// How many rows of elements of this length in bytes one tile of transpose() has.
constexpr Index rows_of_tile(Index length) { return length > tile::row_bytes / 2 ? 1 : tile::row_bytes / length; }

/// Reads a matrix whose rows lie close to one another in memory, but the elements of a row far apart, and calls
/// `put(row, first, count, elements)` for stretches of each row: its elements from `first` on, which are contiguous.
/// Elements have `length` bytes and any alignment.
///
/// Tiles of 256 bytes from the columns times 64 elements of the rows pass through 16 KiB. So a line of cache and a page of
/// memory are read once for many elements. A loop over rows and elements reads a line and a page for each element, and where
/// strides are powers of two, the lines push one another out of the cache: it takes 4 to 8 times as long.
template <class Put>
void transpose(const std::byte* from, MatrixSteps steps, Index rows, Index count, Index length, Put&& put) {
  if (rows_of_tile(length) == 1) {
    for (Index row = 0; row < rows; ++row)
      for (Index k = 0; k < count; ++k) put(row, k, Index{1}, from + row * steps.row + k * steps.element);
    return;
  }
  alignas(64) std::byte tile[tile::bytes];
  const auto fill = length == 8    ? tile::fill<8>
                    : length == 4  ? tile::fill<4>
                    : length == 16 ? tile::fill<16>
                    : length == 1  ? tile::fill<1>
                    : length == 2  ? tile::fill<2>
                                   : tile::fill<0>;
  const Index high = rows_of_tile(length);
  for (Index row = 0; row < rows; row += high)
    for (Index k = 0; k < count; k += tile::elements) {
      const Index height = std::min(high, rows - row), width = std::min(tile::elements, count - k);
      fill(tile, from + row * steps.row + k * steps.element, steps, height, width, length);
      for (Index r = 0; r < height; ++r) put(row + r, k, width, tile + r * tile::elements * length);
    }
}

}  // namespace tridap
