#pragma once

#include <tridap/buffer.hpp>

#include <cstddef>
#include <limits>
#include <optional>

#pragma GCC visibility push(hidden)

namespace tridap::scalapack {

/// The largest number that ScaLAPACK's integers hold.
inline constexpr Index most = std::numeric_limits<int>::max();

/// Whether ScaLAPACK has routines for elements of this type.
bool is_scalar(const ElementType& type);

/// The leading dimension if elements of a column follow one another; nothing: they do not. `along` is the axis of the
/// columns' elements: 1 for a row-major array, which is its transpose.
std::optional<Index> leading_dimension(const Buffer& buffer, std::size_t along);

}  // namespace tridap::scalapack

#pragma GCC visibility pop
