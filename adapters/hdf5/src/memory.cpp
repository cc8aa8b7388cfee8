#include "memory.hpp"

#include <tridap/internal/transpose.hpp>

#include <cstdlib>
#include <cstring>

namespace tridap::hdf5 {

namespace {

// Local indices that follow one another in the file: the distance in bytes of the first one from the buffer's address,
// and its number among the elements of the piece.
struct Stretch {
  Index memory = 0, dense = 0, count = 0;
};

std::vector<Stretch> stretches(const AxisPiece& axis, Index stride) {
  std::vector<Stretch> all;
  Index dense = 0, end = 0;
  for (const AxisSlab& slab : axis) {
    if (!all.empty() && slab.local.begin == end)
      all.back().count += slab.size();
    else
      all.push_back({slab.local.begin * stride, dense, slab.size()});
    dense += slab.size();
    end = slab.local.end;
  }
  return all;
}

// A matrix of elements, in the buffer and in the dense piece.
struct Plane {
  struct Steps {
    Index memory = 0, dense = 0, count = 1;
  };
  std::byte* memory = nullptr;
  Index dense = 0;  // bytes
  Steps rows, elements;
};

// Calls `visit(plane)` until every element of a piece was in one: for each place on the other axes.
template <class Visit>
class Walk {
 public:
  // The rows of the planes follow the axis `rows`, their elements the axis `elements`, which may be the same.
  Walk(const Buffer& buffer, const Piece& piece, std::size_t rows, std::size_t elements, Visit& visit)
      : buffer_(buffer), axes_(piece.size()), weight_(piece.size()), rows_(rows), elements_(elements), visit_(visit) {
    Index weight = buffer.type.bytes;
    for (std::size_t i = piece.size(); i-- > 0;) {
      axes_[i] = stretches(piece[i], buffer.strides[i]);
      weight_[i] = weight;
      Index size = 0;
      for (const Stretch& stretch : axes_[i]) size += stretch.count;
      weight *= size;
    }
  }

  void go(std::size_t axis, Plane plane) {
    if (axis == axes_.size()) return visit_(plane);
    const Index step = buffer_.strides[axis], weight = weight_[axis];
    const Plane first = plane;
    for (const Stretch& stretch : axes_[axis]) {
      plane.memory = first.memory + stretch.memory;
      plane.dense = first.dense + stretch.dense * weight;
      if (axis == elements_ || axis == rows_) {
        (axis == elements_ ? plane.elements : plane.rows) = {step, weight, stretch.count};
        go(axis + 1, plane);
        continue;
      }
      for (Index k = 0; k < stretch.count; ++k, plane.memory += step, plane.dense += weight) go(axis + 1, plane);
    }
  }

 private:
  const Buffer& buffer_;
  std::vector<std::vector<Stretch>> axes_;
  std::vector<Index> weight_;  // bytes between elements of the dense piece
  std::size_t rows_, elements_;
  Visit& visit_;
};

// The axis whose elements are nearest to one another in memory.
std::size_t nearest_axis(const Buffer& buffer) {
  std::size_t nearest = buffer.shape.size() - 1;
  for (std::size_t i = buffer.shape.size(); i-- > 0;)
    if (buffer.shape[i] > 1 &&
        (buffer.shape[nearest] <= 1 || std::abs(buffer.strides[i]) < std::abs(buffer.strides[nearest])))
      nearest = i;
  return nearest;
}

enum class To { dense, memory };

// Reads planes in the order in which their elements follow one another where they go.
template <class Visit>
void walk(const Buffer& buffer, const Piece& piece, To to, Visit&& visit) {
  Plane first;
  first.memory = static_cast<std::byte*>(buffer.data);
  if (piece.empty()) return visit(first);
  const std::size_t last = piece.size() - 1, nearest = nearest_axis(buffer);
  Walk<Visit>(buffer, piece, to == To::dense ? nearest : last, to == To::dense ? last : nearest, visit).go(0, first);
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
  const Index length = buffer.type.bytes;
  walk(buffer, piece, To::dense, [&](const Plane& plane) {
    const auto put = [&](Index row, Index first, Index count, const std::byte* elements) {
      std::byte* const to = dense + plane.dense + row * plane.rows.dense + first * length;
      std::memcpy(to, elements, static_cast<std::size_t>(count * length));
    };
    transpose(plane.memory, {plane.rows.memory, plane.elements.memory}, plane.rows.count, plane.elements.count, length,
              put);
  });
}

void scatter(const Buffer& buffer, const Piece& piece, const std::byte* dense) {
  const Index length = buffer.type.bytes;
  walk(buffer, piece, To::memory, [&](const Plane& plane) {
    const auto put = [&](Index row, Index first, Index count, const std::byte* elements) {
      std::byte* const to = plane.memory + row * plane.rows.memory + first * plane.elements.memory;
      copy_elements(to, plane.elements.memory, elements, length, count, length);
    };
    transpose(dense + plane.dense, {plane.rows.dense, plane.elements.dense}, plane.rows.count, plane.elements.count,
              length, put);
  });
}

}  // namespace tridap::hdf5
