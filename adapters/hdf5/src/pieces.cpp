#include "pieces.hpp"

#include "call.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tridap::hdf5 {

namespace {

Index size_of(const AxisPiece& axis) {
  Index size = 0;
  for (const AxisSlab& slab : axis) size += slab.size();
  return size;
}

Index blocks_of(const AxisPiece& axis) {
  Index blocks = 0;
  for (const AxisSlab& slab : axis) blocks += slab.count;
  return blocks;
}

Index hyperslabs(const Piece& piece) {
  Index product = 1;
  for (const auto& axis : piece) product = checked_multiply(product, static_cast<Index>(axis.size())).value_or(product);
  return product;
}

// The largest number of blocks of one axis: HDF5 shares the descriptions of equal rows.
Index spans(const Piece& piece) {
  Index most = 1;
  for (const auto& axis : piece) most = std::max(most, blocks_of(axis));
  return most;
}

Index stretches(const Piece& piece, const std::vector<Index>& shape) {
  Index count = 1;
  bool whole = true;  // the axes so far are selected wholly
  for (std::size_t i = piece.size(); i-- > 0;) {
    count = checked_multiply(count, whole ? blocks_of(piece[i]) : size_of(piece[i])).value_or(shape[i]);
    whole = whole && piece[i].size() == 1 && piece[i][0].count == 1 && piece[i][0].block == shape[i];
  }
  return count;
}

// Many hyperslabs of few elements take more memory than the coordinates of the elements.
bool by_points(const Piece& piece) {
  const Index count = hyperslabs(piece);
  return count > 64 && element_count(piece) / count < 8;
}

bool has_many_spans(const Piece& piece, const Limits& limits) {
  return hyperslabs(piece) > 1 && spans(piece) > limits.spans;
}

bool fits(const Piece& piece, const std::vector<Index>& shape, Index element_bytes, const Limits& limits) {
  const Index count = element_count(piece);
  if (count == 1) return true;
  if (checked_multiply(count, element_bytes).value_or(limits.bytes + 1) > limits.bytes) return false;
  if (by_points(piece)) return count <= limits.points;
  return hyperslabs(piece) <= limits.hyperslabs && !has_many_spans(piece, limits) &&
         stretches(piece, shape) <= limits.stretches;
}

// The first `blocks` blocks of a slab, or its first `elements` elements if it is one block; and the others.
std::pair<AxisSlab, AxisSlab> cut(const AxisSlab& slab) {
  AxisSlab first = slab, second = slab;
  if (slab.count > 1) {
    first.count = slab.count / 2;
    second.count = slab.count - first.count;
    second.start = slab.start + first.count * slab.stride;
  } else {
    first.block = slab.block / 2;
    second.block = slab.block - first.block;
    second.start = slab.start + first.block;
  }
  first.local.end = second.local.begin = slab.local.begin + first.size();
  return {first, second};
}

std::pair<Piece, Piece> halves(const Piece& piece, std::size_t axis) {
  std::pair<Piece, Piece> two{piece, piece};
  const AxisPiece& slabs = piece[axis];
  if (slabs.size() > 1) {
    const AxisSlab* const middle = slabs.begin() + slabs.size() / 2;
    two.first[axis] = AxisPiece(slabs.begin(), middle);
    two.second[axis] = AxisPiece(middle, slabs.end());
  } else {
    const auto [first, second] = cut(slabs[0]);
    two.first[axis] = AxisPiece(first);
    two.second[axis] = AxisPiece(second);
  }
  return two;
}

std::size_t axis_to_cut(const Piece& piece, const Limits& limits) {
  const bool lists = has_many_spans(piece, limits);
  for (std::size_t i = 0; i < piece.size(); ++i)
    if (lists ? piece[i].size() > 1 : size_of(piece[i]) > 1) return i;
  return 0;
}

void add(const Piece& piece, const std::vector<Index>& shape, Index element_bytes, const Limits& limits,
         std::vector<Piece>& pieces) {
  if (fits(piece, shape, element_bytes, limits)) {
    pieces.push_back(piece);
    return;
  }
  const auto [first, second] = halves(piece, axis_to_cut(piece, limits));
  add(first, shape, element_bytes, limits, pieces);
  add(second, shape, element_bytes, limits, pieces);
}

struct Hyperslab {
  std::vector<hsize_t> start, stride, count, block;

  void push_back(hsize_t from, hsize_t step, hsize_t times, hsize_t length) {
    start.push_back(from);
    stride.push_back(step);
    count.push_back(times);
    block.push_back(length);
  }
};

template <class Number>
hsize_t unsigned_of(Number number) {
  return static_cast<hsize_t>(number);
}

// Calls `visit(slabs)` with each combination of one slab for each axis, in row-major order.
template <class Visit>
void for_each_slab(const Piece& piece, Visit&& visit) {
  const Index count = hyperslabs(piece);
  Slab slab(piece.size());
  for (Index i = 0; i < count; ++i) {
    auto rest = static_cast<std::size_t>(i);
    for (std::size_t k = piece.size(); k-- > 0; rest /= piece[k].size()) slab[k] = piece[k][rest % piece[k].size()];
    visit(slab);
  }
}

template <class Make>
void select(hid_t space, const Piece& piece, Make&& make) {
  H5S_seloper_t way = H5S_SELECT_SET;
  for_each_slab(piece, [&](const Slab& slab) {
    const Hyperslab s = make(slab);
    call("H5Sselect_hyperslab", [&] {
      return H5Sselect_hyperslab(space, way, s.start.data(), s.stride.data(), s.count.data(), s.block.data());
    });
    way = H5S_SELECT_OR;
  });
}

void select_points(hid_t space, const Piece& piece, const Index* step) {
  std::vector<std::vector<hsize_t>> positions;
  if (step != nullptr) positions.push_back({unsigned_of(*step)});
  for (const auto& axis : piece) {
    positions.emplace_back();
    for (const AxisSlab& slab : axis)
      for (Index k = 0; k < slab.count; ++k)
        for (Index b = 0; b < slab.block; ++b)
          positions.back().push_back(unsigned_of(slab.start + k * slab.stride + b));
  }
  const auto count = static_cast<std::size_t>(element_count(piece));
  std::vector<hsize_t> points(count * positions.size());
  for (std::size_t n = 0; n < count; ++n)
    for (std::size_t i = positions.size(), rest = n; i-- > 0; rest /= positions[i].size())
      points[n * positions.size() + i] = positions[i][rest % positions[i].size()];
  call("H5Sselect_elements", [&] { return H5Sselect_elements(space, H5S_SELECT_SET, count, points.data()); });
}

}  // namespace

Index element_count(const Piece& piece) {
  Index count = 1;
  for (const auto& axis : piece) count *= size_of(axis);
  return count;
}

bool is_one_stretch(const Piece& piece, const std::vector<Index>& shape) { return stretches(piece, shape) == 1; }

std::vector<Piece> pieces_of(const std::vector<std::vector<AxisSlab>>& axes, const std::vector<Index>& shape,
                             Index element_bytes, const Limits& limits) {
  std::vector<Piece> pieces;
  if (std::any_of(axes.begin(), axes.end(), [](const auto& axis) { return axis.empty(); })) return pieces;
  Piece all;
  for (const std::vector<AxisSlab>& axis : axes) all.emplace_back(axis.data(), axis.data() + axis.size());
  add(all, shape, element_bytes, limits, pieces);
  return pieces;
}

void select_in_file(hid_t space, const Piece& piece, const Index* step) {
  if (piece.empty() && step == nullptr) {
    call("H5Sselect_all", [&] { return H5Sselect_all(space); });
    return;
  }
  if (by_points(piece)) return select_points(space, piece, step);
  select(space, piece, [&](const Slab& slab) {
    Hyperslab s;
    if (step != nullptr) s.push_back(unsigned_of(*step), 1, 1, 1);
    for (const AxisSlab& axis : slab)
      s.push_back(unsigned_of(axis.start), unsigned_of(std::max(axis.stride, axis.block)), unsigned_of(axis.count),
                  unsigned_of(axis.block));
    return s;
  });
}

void select_in_memory(hid_t space, const Piece& piece, const std::vector<hsize_t>& steps) {
  select(space, piece, [&](const Slab& slab) {
    Hyperslab s;
    for (std::size_t i = 0; i < slab.size(); ++i) {
      const hsize_t begin = unsigned_of(slab[i].local.begin) * steps[i], size = unsigned_of(slab[i].local.size());
      if (steps[i] == 1)
        s.push_back(begin, size, 1, size);
      else
        s.push_back(begin, steps[i], size, 1);
    }
    return s;
  });
}

}  // namespace tridap::hdf5
