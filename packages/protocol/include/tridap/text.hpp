#pragma once

#include <cstddef>
#include <string>

namespace tridap {

/// The length in bytes of the UTF-8 character at `at`. Returns 0 if it must not be printed on a line: if it is not
/// UTF-8, is a control character, or changes the direction of writing.
std::size_t printable(const std::string& text, std::size_t at);

/// Makes text from outside safe for one line of a terminal or a picture: whatever is not printable() is replaced.
std::string clean(const std::string& text);

/// A number with at most that many significant digits: "0.5", "1e-08", "inf". In every locale it has a point and no
/// separators.
std::string number_text(double number, int digits = 6);

/// The same with that many digits after the point: "68.70".
std::string fixed_text(double number, int decimals);

/// At most the first `bytes` bytes of a text, without cutting a character.
std::string shortened(const std::string& text, std::size_t bytes);

}  // namespace tridap
