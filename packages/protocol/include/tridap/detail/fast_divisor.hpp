#pragma once

#include <tridap/index.hpp>

#include <cstdint>

namespace tridap::detail {

/// Divides numbers `n >= 0` by one divisor `>= 1`, by multiplication with its reciprocal. The result is exact for all
/// numbers of 63 bits (Granlund and Montgomery, Division by Invariant Integers using Multiplication, 1994, theorem
/// 4.2).
class FastDivisor {
 public:
  explicit FastDivisor(Index divisor = 1);

  Index divisor() const { return divisor_; }
  Index quotient(Index n) const {
    __extension__ using Wide = unsigned __int128;
    const auto high = static_cast<std::uint64_t>((Wide{static_cast<std::uint64_t>(n) << 1} * reciprocal_) >> 64);
    return static_cast<Index>(high >> shift_);
  }

 private:
  Index divisor_;
  std::uint64_t reciprocal_;  // ceil(2^(63 + shift) / divisor)
  int shift_ = 0;             // the smallest with 2^shift >= divisor
};

}  // namespace tridap::detail
