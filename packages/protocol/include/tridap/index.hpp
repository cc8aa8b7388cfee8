#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tridap {

using Index = std::int64_t;  ///< every index, extent and count: signed, 64-bit

/// `a + b`, or nullopt if it does not fit 64 bits.
inline std::optional<Index> checked_add(Index a, Index b) {
  Index sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

/// `a * b`, or nullopt if it does not fit 64 bits.
inline std::optional<Index> checked_multiply(Index a, Index b) {
  Index product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

/// The product of non-negative factors, or nullopt if it does not fit 64 bits. The product of none is 1. If one factor
/// is 0, the product is 0.
template <class List = std::vector<Index>>
std::optional<Index> checked_product(const List& factors) {
  for (Index factor : factors)
    if (factor == 0) return 0;
  std::optional<Index> product = 1;
  for (Index factor : factors)
    if (product) product = checked_multiply(*product, factor);
  return product;
}

/// A half-open range of indices.
struct Range {
  Index begin = 0, end = 0;

  Index size() const { return end - begin; }
  bool contains(Index index) const { return begin <= index && index < end; }
};

/// Consecutive global indices that are also consecutive in a local buffer.
struct Run {
  Index global = 0;  ///< first global index
  Index local = 0;   ///< local index of the same element
  Index length = 0;  ///< elements

  friend bool operator==(const Run& a, const Run& b) {
    return a.global == b.global && a.local == b.local && a.length == b.length;
  }
};

}  // namespace tridap
