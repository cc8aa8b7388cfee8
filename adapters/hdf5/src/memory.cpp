#include "memory.hpp"

#include <tridap/internal/copy_elements.hpp>

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

// Calls `visit(memory, packed)` with boxes that make up a piece, in the buffer and among the dense elements of the
// piece.
template <class Visit>
class Boxes {
 public:
  Boxes(const Buffer& buffer, const Piece& piece, std::byte* dense, Visit visit)
      : memory_(buffer), packed_(buffer), axes_(piece.size()), visit_(visit) {
    packed_.data = dense;
    Index step = buffer.type.bytes;
    for (std::size_t i = piece.size(); i-- > 0;) {
      axes_[i] = stretches(piece[i], buffer.strides[i]);
      packed_.strides[i] = step;
      Index size = 0;
      for (const Stretch& stretch : axes_[i]) size += stretch.count;
      step *= size;
    }
  }

  void each(std::size_t axis = 0) {
    if (axis == axes_.size()) return visit_(memory_, packed_);
    auto *const memory = static_cast<std::byte*>(memory_.data), *const packed = static_cast<std::byte*>(packed_.data);
    for (const Stretch& stretch : axes_[axis]) {
      memory_.data = memory + stretch.memory;
      packed_.data = packed + stretch.dense * packed_.strides[axis];
      memory_.shape[axis] = packed_.shape[axis] = stretch.count;
      each(axis + 1);
    }
    memory_.data = memory;
    packed_.data = packed;
  }

 private:
  Buffer memory_, packed_;
  std::vector<std::vector<Stretch>> axes_;
  Visit visit_;
};

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
  Boxes(buffer, piece, dense, [](const Buffer& memory, const Buffer& packed) { copy_elements(memory, packed); }).each();
}

void scatter(const Buffer& buffer, const Piece& piece, const std::byte* dense) {
  std::byte* const from = const_cast<std::byte*>(dense);  // which is only read
  Boxes(buffer, piece, from, [](const Buffer& memory, const Buffer& packed) { copy_elements(packed, memory); }).each();
}

}  // namespace tridap::hdf5
