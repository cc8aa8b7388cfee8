#pragma once

#include <cstddef>
#include <string_view>

#pragma GCC visibility push(hidden)

namespace tridap {

/// True for well-formed UTF-8 (Unicode 15, table 3-7): no overlong forms, no surrogates, nothing above U+10FFFF.
inline bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at++]);
    if (lead < 0x80) continue;
    if (lead < 0xc2 || lead > 0xf4) return false;
    int more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    for (; more > 0; --more, low = 0x80, high = 0xbf) {
      if (at == text.size()) return false;
      const auto next = static_cast<unsigned char>(text[at++]);
      if (next < low || next > high) return false;
    }
  }
  return true;
}

}  // namespace tridap

#pragma GCC visibility pop
