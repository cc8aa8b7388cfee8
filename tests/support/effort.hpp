#pragma once

#include <cstdlib>
#include <string>

/// How much a test does.
namespace effort {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// Whether a sample of a test's cases is asked for, as `./dev test` does; `./dev test --all` and programs started by
/// hand take all. Which cases a sample has depends on nothing else, so that two runs of it are the same.
inline bool sampled() {
  const char* const wanted = std::getenv("TRIDAP_TEST_EFFORT");
  return wanted != nullptr && std::string(wanted) == "sample";
}

/// `all`, or where a sample is asked for and under AddressSanitizer, whose programs are several times slower, `fewer`.
template <class Number>
Number of(Number all, Number fewer) {
  return sanitized || sampled() ? fewer : all;
}

}  // namespace effort
