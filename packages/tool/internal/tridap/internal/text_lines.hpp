#pragma once

#include <tridap/index.hpp>

#include <string>
#include <vector>

namespace tridap {

/// The columns of valid UTF-8 text in a terminal, one for each character. The escape sequences of colours have none.
Index characters(const std::string& text);

/// Breaks words into lines of at most `width` characters. A longer word is broken too. The lines after the first one
/// begin with `indent` blanks.
std::vector<std::string> wrapped(const std::string& text, Index width, Index indent = 0);

/// A text whose lines have at most `width` characters: a longer line is wrapped, and what follows of it begins with two
/// blanks more than the line itself.
std::string fitted(const std::string& text, Index width);

}  // namespace tridap
