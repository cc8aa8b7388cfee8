#pragma once

#include <tridap/distribution.hpp>
#include <tridap/index.hpp>

#include <cstddef>
#include <iterator>
#include <vector>

namespace tridap {

/// A regular selection along one axis of the whole array, and the local indices of its elements: `count` blocks of
/// `block` consecutive positions, of which the first begins at `start`, and each begins `stride` after the one before.
/// The elements are consecutive in the local buffer. This is a hyperslab of HDF5 and, if `block` is 1, a Python slice.
///
/// The share `[2, 4), [8, 10)` of a cyclic axis with blocks of 2 over 3 coordinates is {2, 6, 2, 2, [0, 4)}.
struct AxisSlab {
  Index start = 0, stride = 1, count = 1, block = 1;  ///< in the whole array; `stride >= block`
  Range local;                                        ///< in the buffer: `count * block` local indices

  Index size() const { return count * block; }
  Index last() const { return start + (count - 1) * stride + block - 1; }  ///< the last position

  friend bool operator==(const AxisSlab& a, const AxisSlab& b) {
    return a.start == b.start && a.stride == b.stride && a.count == b.count && a.block == b.block &&
           a.local.begin == b.local.begin && a.local.end == b.local.end;
  }
};

/// One slab for each axis: a regular part of the whole array, and the box of local indices that holds it.
using Slab = std::vector<AxisSlab>;

/// What one process reads or writes of a file that holds the whole array: the result of Distribution::slabs().
///
/// The part is a product: it has every combination of one slab of each axis. On each axis the slabs are ascending in
/// the file and do not overlap, and each is as long as possible after the one before. If the rows of a 4 x 6 array are
/// distributed in blocks over 2 processes, process 1 has one slab: rows [2, 4) and columns [0, 6) of the file, which
/// are rows [0, 2) and columns [0, 6) of its buffer.
class Slabs {
 public:
  explicit Slabs(std::vector<std::vector<AxisSlab>> axes);

  /// The slabs of each axis.
  const std::vector<std::vector<AxisSlab>>& axes() const { return axes_; }
  Index size() const { return size_; }  ///< how many combinations there are; 0: the part is empty
  Slab operator[](Index i) const;       ///< in row-major order, `0 <= i < size()`

  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Slab;
    using difference_type = std::ptrdiff_t;
    using pointer = const Slab*;
    using reference = Slab;

    Slab operator*() const { return (*slabs_)[i_]; }
    iterator& operator++() {
      ++i_;
      return *this;
    }
    friend bool operator==(const iterator& a, const iterator& b) { return a.i_ == b.i_; }
    friend bool operator!=(const iterator& a, const iterator& b) { return a.i_ != b.i_; }

   private:
    friend class Slabs;
    iterator(const Slabs& slabs, Index i) : slabs_(&slabs), i_(i) {}
    const Slabs* slabs_;
    Index i_;
  };
  iterator begin() const { return {*this, 0}; }
  iterator end() const { return {*this, size_}; }

 private:
  std::vector<std::vector<AxisSlab>> axes_;
  Index size_ = 1;
};

struct KnownPositions;

/// The slabs of one coordinate of an axis; see Distribution::slabs(). `known` is needed if the axis is in the directory
/// form and its positions are not its indices: then it has the positions of this process's indices.
std::vector<AxisSlab> axis_slabs(const Axis& axis, Index coordinate, Part part = Part::owned,
                                 const KnownPositions* known = nullptr);

}  // namespace tridap
