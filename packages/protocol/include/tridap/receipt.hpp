#pragma once

#include <tridap/index.hpp>

#include <string>
#include <vector>

namespace tridap {

/// Whether a conversion may copy elements.
enum class Copy {
  never,      ///< the default everywhere: share the memory, or fail with the reason
  if_needed,  ///< share the memory if possible
  always,     ///< always copy
};

/// What a conversion did on this process.
struct Receipt {
  bool shared = true;               ///< the result shares the memory of the input, or a part of it
  bool same_address = true;         ///< and begins at the same address
  Index bytes_copied = 0;           ///< bytes of elements that were copied, counted at their source
  std::vector<std::string> losses;  ///< properties of the input that the result cannot represent
  double seconds = 0;               ///< the time of the conversion
  /// Bytes that a library copied first between the two sides that it keeps of one memory, of a device and of the host.
  Index bytes_synchronized = 0;

  std::string text() const;  ///< one line
};

}  // namespace tridap
