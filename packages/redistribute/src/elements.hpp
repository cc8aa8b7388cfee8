#pragma once

#include <tridap/redistribute/redistribution.hpp>

#include <cstddef>

namespace tridap::redistribute {

/// Puts `count` elements to where they go: `to[k] = alpha * from[k] + beta * to[k]`, converted. Steps are bytes, of any
/// sign; no address needs to be aligned; what is read and what is written must not overlap. Where beta is 0 the target
/// is not read, and where alpha is 0 the source is not: a NaN there does not survive (as in PBLAS).
using Combine = void (*)(std::byte* to, Index to_step, const std::byte* from, Index from_step, Index count,
                         const Scaling& scaling);

/// What makes elements of one type from those of another, as `scaling` asks; null where they are only moved.
///
/// Integers of 1 to 8 bytes, float, double and the complex of both are known. With `convert`, one becomes the other
/// where NumPy's casting='same_kind' lets it: to another length of the same kind, and upwards from unsigned to signed
/// integer to floating to complex; so never floating to integer, complex to real, or signed to unsigned. Integers that
/// do not fit the target wrap. What is only converted is rounded once, 64-bit integers too. What is scaled is computed
/// in double, or, for integer targets, in integers modulo 2^64, with both factors whole.
///
/// Throws Error where one type cannot become the other, where `convert` was not given, and where the scaling has no
/// meaning for them.
Combine combiner(const ElementType& from, const ElementType& to, bool convert, const Scaling& scaling);

}  // namespace tridap::redistribute
