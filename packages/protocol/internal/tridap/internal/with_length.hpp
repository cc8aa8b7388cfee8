#pragma once

#include <tridap/index.hpp>

#include <cstddef>
#include <type_traits>

namespace tridap {

/// Calls `visit(n)` with a length in bytes, as a std::size_t. For the usual short ones `n` is a constant, so that a
/// copy of an element is one or two instructions.
template <class Visit>
void with_length(Index length, Visit&& visit) {
  switch (length) {
    case 1:
      return visit(std::integral_constant<std::size_t, 1>());
    case 2:
      return visit(std::integral_constant<std::size_t, 2>());
    case 4:
      return visit(std::integral_constant<std::size_t, 4>());
    case 8:
      return visit(std::integral_constant<std::size_t, 8>());
    case 16:
      return visit(std::integral_constant<std::size_t, 16>());
    case 24:
      return visit(std::integral_constant<std::size_t, 24>());
    default:
      return visit(static_cast<std::size_t>(length));
  }
}

}  // namespace tridap
