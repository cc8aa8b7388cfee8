#pragma once

#include <tridap/index.hpp>

#include <cstdint>
#include <string>

namespace tridap {

/// A hash of a sequence of numbers, which processes compare instead of the sequence. Equal sequences have equal hashes;
/// different ones almost always have different hashes. Two sequences that differ in a single number never have the same
/// state.
class Digest {
 public:
  void add(Index number) {
    state_ = (state_ ^ static_cast<std::uint64_t>(number)) * 0x9e3779b97f4a7c15U;  // 2^64 / phi, odd
    state_ ^= state_ >> 29;
  }
  template <class List>
  void add_all(const List& numbers) {
    add(static_cast<Index>(numbers.size()));
    for (const auto number : numbers) add(static_cast<Index>(number));
  }
  void add(const std::string& text) { add_all(text); }

  Index value() const { return static_cast<Index>(state_ >> 1); }  ///< at least 0

 private:
  std::uint64_t state_ = 0x2545f4914f6cdd1dU;
};

/// A hash of one number: SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014).
inline std::uint64_t mixed_bits(Index number) {
  auto z = static_cast<std::uint64_t>(number) + 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace tridap
