#pragma once

#include <tridap/index.hpp>

#include <string>
#include <vector>

namespace tridap {

/// Whether a conversion may copy elements.
enum class Copy {
  never,      ///< the default everywhere: share, or fail saying what stands in the way
  if_needed,  ///< share where possible
  always,     ///< never share
};

/// What a conversion did, on this process.
struct Receipt {
  bool shared = true;               ///< the result is the memory of what was given, or a part of it
  bool same_address = true;         ///< and begins where that begins
  Index bytes_copied = 0;           ///< bytes of elements that were copied, counted where they were
  std::vector<std::string> losses;  ///< what the result cannot say
  double seconds = 0;               ///< what it cost to build

  std::string text() const;  ///< one line
};

}  // namespace tridap
