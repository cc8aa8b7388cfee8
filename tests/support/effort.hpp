#pragma once

#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>

/// How much a test does.
namespace effort {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// Measures the time that this process itself computes, so that other programs on the machine do not count. It is for
/// bounds that an algorithm of the wrong order exceeds many times.
class ComputingTime {
 public:
  double seconds() const { return static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t begin_ = std::clock();
};

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

/// Returns how many seeds from `first` on a random sweep takes, and prints them once where they are a sample.
template <class Number>
Number seeds(Number first, Number all, Number fewer) {
  const Number count = of(all, fewer);
  const char* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (count < all && (rank == nullptr || std::string(rank) == "0"))
    std::cout << "a sample: seeds " << first << " to " << first + count - 1 << " of " << first << " to "
              << first + all - 1 << '\n';
  return count;
}

}  // namespace effort
