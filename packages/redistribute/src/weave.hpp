#pragma once

#include "copy.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace tridap::redistribute {

/// Copies several runs at the same time with stores that bypass the caches. It copies a part of each run in turn,
/// because memory handles several streams at once faster than one stream after another.
class Weave {
 public:
  static constexpr std::size_t most = 4;              ///< runs side by side
  static constexpr std::size_t line = 64;             ///< bytes of a line of the caches
  static constexpr std::size_t stretch = 512;         ///< bytes of a run before it is the next one's turn
  static constexpr std::size_t apart = 8 << 10;       ///< bytes: streams that are nearer to one another gain nothing
  static constexpr std::size_t ragged = 8 * stretch;  ///< bytes: shorter runs must begin and end with a line

  /// `count` runs, at most `most`, each of `bytes`. StreamCopy::finish() makes others see them.
  static void run(std::byte* const* to, const std::byte* const* from, std::size_t count, std::size_t bytes) {
    if (bytes <= stretch) {
      for (std::size_t k = 0; k < count; ++k) StreamCopy::run(to[k], from[k], bytes);
      return;
    }
    std::array<std::size_t, most> done{};
    for (std::size_t k = 0; k < count; ++k) StreamCopy::run(to[k], from[k], done[k] = to_line(to[k]));
    for (std::size_t at = 0; at < bytes; at += stretch)  // from line to line: parts of one that wait cost a write each
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t now = std::min(stretch, bytes - done[k]);
        StreamCopy::run(to[k] + done[k], from[k] + done[k], now);
        done[k] += now;
      }
  }

  /// One run: as several, where it is long.
  static void run(std::byte* to, const std::byte* from, std::size_t bytes) {
    for (std::size_t part; (part = std::min(longest, bytes / most / line * line)) >= 2 * apart;) {
      std::array<std::byte*, most> tos;
      std::array<const std::byte*, most> froms;
      for (std::size_t k = 0; k < most; ++k, to += part, from += part, bytes -= part) {
        tos[k] = to;
        froms[k] = from;
      }
      run(tos.data(), froms.data(), most, part);
    }
    StreamCopy::run(to, from, bytes);
  }

  static std::size_t to_line(const std::byte* at) {
    return (line - reinterpret_cast<std::uintptr_t>(at) % line) % line;
  }

 private:
  // Bytes of a part of one run: a little faster than 64 KiB, by which each stream stands in the same place of its page.
  static constexpr std::size_t longest = 66 << 10;
};

}  // namespace tridap::redistribute
