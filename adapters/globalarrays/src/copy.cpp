#include "copy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace tridap::globalarrays {

namespace {

// An axis as it stands in both buffers: bytes from one element to the next.
struct Step {
  Index extent = 0, from = 0, to = 0;
};

// What is copied: pieces of bytes that stand in a row in both buffers, over axes, the target's outermost first.
struct Pieces {
  std::vector<Step> axes;
  Index bytes = 0;
};

Pieces pieces_of(const Buffer& from, const Buffer& to) {
  Pieces pieces;
  pieces.bytes = from.type.bytes;
  std::vector<Step>& axes = pieces.axes;
  for (std::size_t i = 0; i < from.shape.size(); ++i)
    if (from.shape[i] > 1) axes.push_back({from.shape[i], from.strides[i], to.strides[i]});
  std::sort(axes.begin(), axes.end(), [](const Step& a, const Step& b) { return std::abs(a.to) > std::abs(b.to); });
  for (; !axes.empty() && axes.back().from == pieces.bytes && axes.back().to == pieces.bytes; axes.pop_back())
    pieces.bytes *= axes.back().extent;
  if (axes.empty()) axes.push_back({1, 0, 0});
  return pieces;
}

// How long a piece is: known when this is compiled, or not.
template <std::size_t length>
struct Fixed {
  static constexpr std::size_t bytes = length;
};
struct Any {
  std::size_t bytes;
};

template <class Piece>
void copy_box(const std::byte* from, std::byte* to, const Step* axis, std::size_t count, Piece piece) {
  if (count > 1) {
    for (Index i = 0; i < axis->extent; ++i, from += axis->from, to += axis->to)
      copy_box(from, to, axis + 1, count - 1, piece);
    return;
  }
  for (Index i = 0; i < axis->extent; ++i) std::memcpy(to + i * axis->to, from + i * axis->from, piece.bytes);
}

// The axis along which a box reaches farthest in both buffers: one that can be halved, though all elements of one
// buffer may be one.
Step& farthest(std::vector<Step>& axes) {
  const auto reach = [](const Step& axis) {
    return axis.extent == 1 ? 0 : axis.extent * std::max<Index>(1, std::min(std::abs(axis.from), std::abs(axis.to)));
  };
  return *std::max_element(axes.begin(), axes.end(), [&](const Step& a, const Step& b) { return reach(a) < reach(b); });
}

// Halves a box until it is so small that its lines of both buffers stay in the nearest cache: one may stand row-major
// and the other column-major.
template <class Piece>
void copy_halves(const std::byte* from, std::byte* to, std::vector<Step>& axes, Index count, Piece piece) {
  constexpr Index few = 256;
  if (count <= few) return copy_box(from, to, axes.data(), axes.size(), piece);
  Step& axis = farthest(axes);
  const Index extent = axis.extent, first = extent < 16 ? extent / 2 : extent / 16 * 8, each = count / extent;
  axis.extent = first;
  copy_halves(from, to, axes, each * first, piece);
  axis.extent = extent - first;
  copy_halves(from + first * axis.from, to + first * axis.to, axes, each * (extent - first), piece);
  axis.extent = extent;
}

}  // namespace

Index copy_elements(const Buffer& from, const Buffer& to) {
  const Index elements = element_count(from), bytes = elements * from.type.bytes;
  if (elements == 0) return 0;
  Pieces pieces = pieces_of(from, to);
  const auto copy = [&](auto piece) {
    copy_halves(static_cast<const std::byte*>(from.data), static_cast<std::byte*>(to.data), pieces.axes,
                bytes / pieces.bytes, piece);
  };
  switch (pieces.bytes) {
    case 4:
      copy(Fixed<4>());
      break;
    case 8:
      copy(Fixed<8>());
      break;
    case 16:
      copy(Fixed<16>());
      break;
    default:
      copy(Any{static_cast<std::size_t>(pieces.bytes)});
  }
  return bytes;
}

}  // namespace tridap::globalarrays
