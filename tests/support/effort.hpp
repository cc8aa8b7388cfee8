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

/// Returns `fewer` in a sample and under AddressSanitizer, which slows programs down several times; else `all`.
template <class Number>
Number of(Number all, Number fewer) {
  return sanitized || sampled() ? fewer : all;
}

}  // namespace effort
