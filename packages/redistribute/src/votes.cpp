#include "votes.hpp"

#include <tridap/memory_order.hpp>

#include <cstdlib>

namespace tridap::redistribute {

namespace {

constexpr Index most_axes = 16;  // whose order fits a number, beside row-major

}  // namespace

std::optional<Index> order_number(const Buffer& buffer) {
  bool falling = true, rising = true;  // row-major, column-major, as far as axes of several elements say
  Index last = 0, axes = 0;
  for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
    if (buffer.shape[i] == 0) return std::nullopt;
    if (buffer.shape[i] == 1) continue;
    const Index stride = std::abs(buffer.strides[i]);
    falling = falling && (axes == 0 || stride <= last);
    rising = rising && (axes == 0 || stride >= last);
    last = stride;
    ++axes;
  }
  if (axes < 2) return std::nullopt;
  if (falling || buffer.ndim() >= most_axes) return 0;
  if (rising) return 1;
  Index number = 0;
  for (const Index axis : memory_order(buffer).axes) number = number * buffer.ndim() + axis;
  return number + 2;
}

std::vector<Index> order_of_number(Index number, Index ndim) {
  std::vector<Index> axes;
  if (number == 0) return axes;
  axes.resize(static_cast<std::size_t>(ndim));
  if (number == 1) {
    for (Index i = 0; i < ndim; ++i) axes[static_cast<std::size_t>(i)] = ndim - 1 - i;
    return axes;
  }
  number -= 2;
  for (std::size_t k = axes.size(); k-- > 0; number /= ndim) axes[k] = number % ndim;
  return axes;
}

// Below 2^31 the length, kind and byte order; above, which description: elements of 2^27 bytes have none.
constexpr Index known_bits = 31, without_description = Index{1} << 62;

Index type_number(const ElementType& type) {
  const Index known = type.bytes * 16 + static_cast<Index>(type.kind) * 2 + Index{type.native_order};
  if (known >> known_bits != 0) return without_description | known;
  return type.description_number() << known_bits | known;
}

ElementType type_of_number(Index number) {
  const bool all_known = (number & without_description) != 0;
  const Index known = number & (all_known ? ~without_description : (Index{1} << known_bits) - 1);
  return {static_cast<ElementType::Kind>(known / 2 % 8), known / 16, known % 2 != 0};
}

}  // namespace tridap::redistribute
