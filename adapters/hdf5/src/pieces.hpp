#pragma once

#include <tridap/slabs.hpp>

#include <hdf5.h>

#include <optional>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::hdf5 {

/// Some slabs of one axis: consecutive ones of a process, which must live as long, or a part of one of them.
class AxisPiece {
 public:
  AxisPiece(const AxisSlab* begin, const AxisSlab* end) : begin_(begin), end_(end) {}
  explicit AxisPiece(const AxisSlab& part) : part_(part) {}

  const AxisSlab* begin() const { return part_ ? &*part_ : begin_; }
  const AxisSlab* end() const { return part_ ? &*part_ + 1 : end_; }
  std::size_t size() const { return static_cast<std::size_t>(end() - begin()); }
  const AxisSlab& operator[](std::size_t i) const { return begin()[i]; }

 private:
  const AxisSlab* begin_ = nullptr;
  const AxisSlab* end_ = nullptr;
  std::optional<AxisSlab> part_;
};

/// A part of a process's slabs that one call of HDF5 transfers: the product of the slabs of each axis.
using Piece = std::vector<AxisPiece>;

/// How large a piece may be, so that HDF5 and MPI describe it in a few MiB.
struct Limits {
  Index bytes = Index{1} << 27;
  Index hyperslabs = 1024;    ///< that are combined
  Index points = 1 << 16;     ///< if elements are selected one by one
  Index spans = 1 << 12;      ///< blocks, if several hyperslabs are combined
  Index stretches = 1 << 17;  ///< of consecutive bytes in the file
};

/// Divides the slabs of the axes of an array of this shape into pieces within the limits, in the order of the file.
/// They refer to the slabs.
std::vector<Piece> pieces_of(const std::vector<std::vector<AxisSlab>>& axes, const std::vector<Index>& shape,
                             Index element_bytes, const Limits& limits);

Index element_count(const Piece& piece);
/// Whether a piece is one stretch of consecutive bytes in the file.
bool is_one_stretch(const Piece& piece, const std::vector<Index>& shape);

/// Selects a piece in a space that has the whole array, behind the number of the step if there is one.
void select_in_file(hid_t space, const Piece& piece, const Index* step);

/// The steps between local indices in a space in which the local buffer is; see MemoryForm.
void select_in_memory(hid_t space, const Piece& piece, const std::vector<hsize_t>& steps);

}  // namespace tridap::hdf5

#pragma GCC visibility pop
