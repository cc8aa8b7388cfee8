#pragma once

#include <tridap/index.hpp>
#include <tridap/internal/with_length.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace tridap {

/// Elements of a matrix in memory: bytes from one row to the next, and from one element of a row to the next.
struct MatrixSteps {
  Index row = 0, element = 0;
};

namespace tile {

constexpr Index row_bytes = 256, elements = 64, bytes = row_bytes * elements;

template <class Length>
void copy(std::byte* to, Index to_step, const std::byte* from, Index from_step, Index count, Length length) {
  for (Index k = 0; k < count; ++k, to += to_step, from += from_step) std::memcpy(to, from, length);
}

// Those of a row become contiguous, and rows follow one another `elements` apart.
template <class Length>
void fill(std::byte* to, const std::byte* from, MatrixSteps steps, Index rows, Index count, Length length) {
  const auto n = static_cast<Index>(length);
  const auto fill_rows = [&](Index step) {
    for (Index k = 0; k < count; ++k, to += n, from += steps.element) copy(to, elements * n, from, step, rows, length);
  };
  steps.row == n ? fill_rows(n) : fill_rows(steps.row);  // usually, and then the compiler knows it
}

}  // namespace tile

/// Copies elements of `length` bytes and any alignment, which do not overlap. Steps are in bytes, from one element to
/// the next.
inline void copy_strided(std::byte* to, Index to_step, const std::byte* from, Index from_step, Index count,
                         Index length) {
  if (to_step == length && from_step == length) {
    std::memcpy(to, from, static_cast<std::size_t>(count * length));
    return;
  }
  with_length(length, [&](auto n) { tile::copy(to, to_step, from, from_step, count, n); });
}

/// How many rows of elements of this length in bytes one tile of transpose() has.
constexpr Index rows_of_tile(Index length) { return length > tile::row_bytes / 2 ? 1 : tile::row_bytes / length; }

/// Reads a matrix whose columns are contiguous in memory, or nearly so, and gives its elements row by row: it calls
/// `put(row, first, count, elements)` for parts of each row. `elements` are `count` elements that follow one another,
/// and `first` is the number of the first one in the row. An element has `length` bytes and any alignment.
///
/// Tiles of 256 bytes from the columns times 64 elements of the rows pass through 16 KiB. So a line of cache and a page
/// of memory are read once for many elements. A loop over rows and elements reads a line and a page for each element,
/// and where strides are powers of two, the lines push one another out of the cache: it takes 4 to 8 times as long.
template <class Put>
void transpose(const std::byte* from, MatrixSteps steps, Index rows, Index count, Index length, Put&& put) {
  if (rows_of_tile(length) == 1) {
    for (Index row = 0; row < rows; ++row)
      for (Index k = 0; k < count; ++k) put(row, k, Index{1}, from + row * steps.row + k * steps.element);
    return;
  }
  alignas(64) std::byte buffer[tile::bytes];  // the rows of elements one after the other
  const Index high = rows_of_tile(length);
  for (Index row = 0; row < rows; row += high)
    for (Index k = 0; k < count; k += tile::elements) {
      const Index height = std::min(high, rows - row), width = std::min(tile::elements, count - k);
      const std::byte* const first = from + row * steps.row + k * steps.element;
      with_length(length, [&](auto n) { tile::fill(buffer, first, steps, height, width, n); });
      for (Index r = 0; r < height; ++r) put(row + r, k, width, buffer + r * tile::elements * length);
    }
}

}  // namespace tridap
