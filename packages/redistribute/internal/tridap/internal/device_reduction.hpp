#pragma once

#include <tridap/buffer.hpp>
#include <tridap/internal/arithmetic.hpp>

#include <optional>
#include <vector>

namespace tridap::redistribute {

/// A reduction of elements in the memory of a device. Bool, whole numbers of 1 to 8 bytes, and real and complex ones of
/// single and double precision are computed with, in this machine's byte order.
struct DeviceReduction {
  arithmetic::Reduce what = arithmetic::Reduce::sum;
  Buffer from, with;  ///< the second has the shape of the first; without memory unless two arrays are multiplied
  /// By axis: the local indices that count; nothing: all. Empty: all elements count.
  std::vector<std::optional<std::vector<Index>>> kept = {};
  /// Of the result, and at least as wide a kind as those of the elements: whole numbers, real ones, complex ones. That
  /// of the elements for the smallest and the largest; bool for `every` and `some`; real for magnitudes and squares.
  ElementType to = {};

  /// Whether kernels compute with elements of this type.
  static bool computes(const ElementType& type) {
    using Kind = ElementType::Kind;
    if (!type.native_order) return false;
    if (type.kind == Kind::floating) return type.bytes == 4 || type.bytes == 8;
    if (type.kind == Kind::complex) return type.bytes == 8 || type.bytes == 16;
    return type.kind == Kind::boolean || type.kind == Kind::signed_integer || type.kind == Kind::unsigned_integer;
  }
};

}  // namespace tridap::redistribute
