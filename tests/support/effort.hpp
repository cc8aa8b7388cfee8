#pragma once

/// How much a test does.
namespace effort {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// `all`, or under AddressSanitizer, whose programs are several times slower, `fewer`.
template <class Number>
constexpr Number of(Number all, Number fewer) {
  return sanitized ? fewer : all;
}

}  // namespace effort
