#pragma once

#include <tridap/redistribute/redistribution.hpp>

#include <cstddef>

namespace tridap::redistribute {

/// Computes `to[k] = alpha * from[k] + beta * to[k]` for `count` elements, and converts their type. Steps are in bytes
/// and may be negative. Addresses need not be aligned. Source and target must not overlap. If beta is 0, the target is
/// not read; if alpha is 0, the source is not read. So a NaN there has no effect (as in PBLAS).
using Combine = void (*)(std::byte* to, Index to_step, const std::byte* from, Index from_step, Index count,
                         const Scaling& scaling);

/// Returns the function that converts and scales elements from one type to another; null: they are only copied.
///
/// The types are integers of 1 to 8 bytes, float, double and their complex types. `convert` allows what NumPy's
/// casting='same_kind' allows: another length of the same kind, and from unsigned to signed integer to floating point
/// to complex. So floating point never becomes an integer, complex never becomes real, and signed never becomes
/// unsigned. Integers that do not fit the target wrap. A conversion without scaling rounds once, for 64-bit integers
/// too. Scaling computes in double; for integer targets it computes in integers modulo 2^64, and both factors must be
/// integers.
///
/// Throws Error if the type cannot be converted, if `convert` is false but the types differ, or if the types cannot be
/// scaled by these factors.
Combine combiner(const ElementType& from, const ElementType& to, bool convert, const Scaling& scaling);

/// What is done with elements on their way: they are copied, or converted and scaled.
struct ElementStep {
  Combine combine = nullptr;  ///< null: they are copied
  Scaling scaling;
  Index source_bytes = 1, target_bytes = 1;  ///< length of an element

  bool copies() const { return combine == nullptr; }
  /// The length of a unit (see Cursor) in a slot, which holds elements of the source.
  Index slot_unit() const { return copies() ? 1 : source_bytes; }
};

}  // namespace tridap::redistribute
