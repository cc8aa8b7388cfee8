#pragma once

#include <locale>
#include <sstream>

#pragma GCC visibility push(hidden)

namespace tridap::solvers {

/// A text in which numbers are written as in C++, whatever the locale of the program: so it is the same on processes of
/// different locales.
struct ClassicText : std::ostringstream {
  ClassicText() { imbue(std::locale::classic()); }
};

}  // namespace tridap::solvers

#pragma GCC visibility pop
