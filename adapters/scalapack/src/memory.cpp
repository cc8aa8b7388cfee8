#include "memory.hpp"

#include <algorithm>

namespace tridap::scalapack {

bool is_scalar(const ElementType& type) {
  using Kind = ElementType::Kind;
  const bool real = type.kind == Kind::floating && (type.bytes == 4 || type.bytes == 8);
  const bool complex = type.kind == Kind::complex && (type.bytes == 8 || type.bytes == 16);
  return type.native_order && (real || complex);
}

std::optional<Index> leading_dimension(const Buffer& buffer, std::size_t along) {
  const std::size_t across = 1 - along;
  const Index bytes = buffer.type.bytes, rows = buffer.shape[along], least = std::max<Index>(rows, 1);
  if (element_count(buffer) == 0) return least;
  if (rows > 1 && buffer.strides[along] != bytes) return std::nullopt;
  if (buffer.shape[across] == 1) return least;
  const Index apart = buffer.strides[across];
  if (apart % bytes != 0 || apart / bytes < least) return std::nullopt;
  return apart / bytes;
}

}  // namespace tridap::scalapack
