#pragma once

#include <tridap/buffer.hpp>

#include <vector>

namespace tridap::solvers {

/// Memory for copies of arrays, which later copies of the same size use again. For one thread.
///
/// Example: b and x have padding on two axes, and so each solve copies both. The first solve allocates 2 buffers. When
/// its vectors are released, these are free, and the next solve takes them. If its vectors have another size, the free
/// ones are released first.
class CopyMemory {
 public:
  /// A row-major buffer with arbitrary elements, which shares the ownership of its memory. The memory is free again
  /// when the last copy of the buffer is released. Throws Error if the size does not fit 64 bits.
  Buffer take(ElementType type, const IndexList& shape);
  Index bytes() const;  ///< that are held now, free ones too

 private:
  std::vector<Buffer> held_;
};

}  // namespace tridap::solvers
