#pragma once

#include <cstddef>
#include <string>

namespace tridap {

/// The length in bytes of the UTF-8 character at `at`, or 0 where there is none that may be printed on a line: no
/// UTF-8, a control character, or one that changes the direction of writing.
std::size_t printable(const std::string& text, std::size_t at);

/// Text from outside for one line of a terminal or a picture: whatever is not printable() is replaced.
std::string clean(const std::string& text);

/// At most `bytes` bytes of a text, and no part of a character.
std::string shortened(const std::string& text, std::size_t bytes);

}  // namespace tridap
