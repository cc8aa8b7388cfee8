#pragma once

namespace tridap {

/// Gives a line to the sink of library.hpp: "tridap: " and the text, which has printf's format and no end of line. Of
/// more than 4,000 bytes it gives the first ones. Allocates nothing.
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void say(const char* format, ...) noexcept;

/// Gives a whole line to the sink.
void say_line(const char* line) noexcept;

}  // namespace tridap
