#pragma once

#include "pieces.hpp"
#include <tridap/buffer.hpp>

#include <cstddef>
#include <optional>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::hdf5 {

/// A buffer as a part of a C-ordered array of HDF5: local index `i` of an axis is index `i * steps[axis]` there.
struct MemoryForm {
  std::vector<hsize_t> extents, steps;
};

/// The form of a valid buffer. Returns nullopt if HDF5 cannot describe it: if its memory is not in the order of its
/// axes, if a stride is negative or no multiple of the element, or if elements overlap.
std::optional<MemoryForm> memory_form(const Buffer& buffer);

/// Copies the elements of a piece from the buffer to `dense`, in the order of the file.
void gather(const Buffer& buffer, const Piece& piece, std::byte* dense);
/// The other way round.
void scatter(const Buffer& buffer, const Piece& piece, const std::byte* dense);

}  // namespace tridap::hdf5

#pragma GCC visibility pop
