#include "memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace tridap::hdf5 {

namespace {

// For each axis: the distance in bytes of each element of the piece from the buffer's address.
std::vector<std::vector<Index>> distances(const Buffer& buffer, const Piece& piece) {
  std::vector<std::vector<Index>> all;
  for (std::size_t i = 0; i < piece.size(); ++i) {
    all.emplace_back();
    for (const AxisSlab& slab : piece[i])
      for (Index local = slab.local.begin; local < slab.local.end; ++local)
        all.back().push_back(local * buffer.strides[i]);
  }
  return all;
}

// Calls `copy(memory, dense)` for each element: for each place on the other axes, the elements of the axes `row` and
// `column` in square tiles, so that the lines of cache that a tile reads and writes stay there.
template <class Copy>
class Walk {
 public:
  Walk(const std::vector<std::vector<Index>>& distances, Index element_bytes, std::size_t row, std::size_t column)
      : distances_(distances), weight_(distances.size()), at_(distances.size()), row_(row), column_(column) {
    Index product = element_bytes;
    for (std::size_t i = distances.size(); i-- > 0; product *= size(i)) weight_[i] = product;
  }

  void all(std::byte* data, Copy& copy) {
    do {
      std::byte* memory = data;
      Index dense = 0;
      for (std::size_t i = 0; i < at_.size(); ++i) {
        memory += distances_[i][static_cast<std::size_t>(at_[i])];
        dense += at_[i] * weight_[i];
      }
      plane(memory, dense, copy);
    } while (next());
  }

 private:
  static constexpr Index tile = 8;

  Index size(std::size_t i) const { return static_cast<Index>(distances_[i].size()); }

  // `memory` and `dense` already have the distances of the first element of both axes.
  void plane(std::byte* memory, Index dense, Copy& copy) {
    const std::vector<Index>&in_row = distances_[row_], &in_column = distances_[column_];
    if (row_ == column_) {
      for (Index k = 0; k < size(row_); ++k) copy(memory + moved(in_row, k), dense + k * weight_[row_]);
      return;
    }
    for (Index i = 0; i < size(row_); i += tile)
      for (Index j = 0; j < size(column_); j += tile)
        for (Index r = i; r < std::min(i + tile, size(row_)); ++r)
          for (Index c = j; c < std::min(j + tile, size(column_)); ++c)
            copy(memory + moved(in_row, r) + moved(in_column, c), dense + r * weight_[row_] + c * weight_[column_]);
  }

  static Index moved(const std::vector<Index>& distances, Index k) {
    return distances[static_cast<std::size_t>(k)] - distances[0];
  }

  // The next place on the other axes; false at the end.
  bool next() {
    for (std::size_t i = at_.size(); i-- > 0;) {
      if (i == row_ || i == column_) continue;
      if (++at_[i] < size(i)) return true;
      at_[i] = 0;
    }
    return false;
  }

  const std::vector<std::vector<Index>>& distances_;
  std::vector<Index> weight_, at_;
  std::size_t row_, column_;
};

template <class Move>
void walk(const Buffer& buffer, const Piece& piece, Move&& move) {
  auto* const data = static_cast<std::byte*>(buffer.data);
  if (piece.empty()) return move(data, 0);
  const std::size_t last = piece.size() - 1;
  std::size_t nearest = last;  // the axis whose elements are nearest to one another in memory
  for (std::size_t i = piece.size(); i-- > 0;)
    if (buffer.shape[i] > 1 &&
        (buffer.shape[nearest] <= 1 || std::abs(buffer.strides[i]) < std::abs(buffer.strides[nearest])))
      nearest = i;
  const std::vector<std::vector<Index>> all = distances(buffer, piece);
  Walk<std::remove_reference_t<Move>>(all, buffer.type.bytes, last, nearest).all(data, move);
}

// Copies of a length that the compiler knows are single instructions.
template <class Visit>
void with_length(Index bytes, Visit&& visit) {
  const auto n = static_cast<std::size_t>(bytes);
  switch (bytes) {
    case 1:
      return visit([](void* to, const void* from) { std::memcpy(to, from, 1); });
    case 4:
      return visit([](void* to, const void* from) { std::memcpy(to, from, 4); });
    case 8:
      return visit([](void* to, const void* from) { std::memcpy(to, from, 8); });
    case 16:
      return visit([](void* to, const void* from) { std::memcpy(to, from, 16); });
    default:
      return visit([n](void* to, const void* from) { std::memcpy(to, from, n); });
  }
}

}  // namespace

std::optional<MemoryForm> memory_form(const Buffer& buffer) {
  const std::size_t ndim = buffer.shape.size();
  MemoryForm form{std::vector<hsize_t>(ndim, 1), std::vector<hsize_t>(ndim, 1)};
  std::optional<std::size_t> inner;  // the axis inside of this one that has several elements
  Index below = 1, needed = 1;       // elements inside of `inner`, and extent that it must have
  for (std::size_t i = ndim; i-- > 0;) {
    if (buffer.shape[i] <= 1) continue;
    const Index bytes = buffer.strides[i];
    if (bytes <= 0 || bytes % buffer.type.bytes != 0) return std::nullopt;
    const Index stride = bytes / buffer.type.bytes;
    if (!inner) {
      form.steps[i] = static_cast<hsize_t>(stride);
      needed = (buffer.shape[i] - 1) * stride + 1;
    } else {
      if (stride % below != 0 || stride / below < needed) return std::nullopt;
      form.extents[*inner] = static_cast<hsize_t>(stride / below);
      below = stride;
      needed = buffer.shape[i];
    }
    inner = i;
  }
  if (inner) form.extents[*inner] = static_cast<hsize_t>(needed);
  return form;
}

void gather(const Buffer& buffer, const Piece& piece, std::byte* dense) {
  with_length(buffer.type.bytes, [&](auto copy) {
    walk(buffer, piece, [&](const std::byte* memory, Index at) { copy(dense + at, memory); });
  });
}

void scatter(const Buffer& buffer, const Piece& piece, const std::byte* dense) {
  with_length(buffer.type.bytes,
              [&](auto copy) { walk(buffer, piece, [&](std::byte* memory, Index at) { copy(memory, dense + at); }); });
}

}  // namespace tridap::hdf5
