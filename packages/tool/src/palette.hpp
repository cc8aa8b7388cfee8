#pragma once

#include <tridap/index.hpp>

#include <string>

#pragma GCC visibility push(hidden)

namespace tridap::drawing {

/// Red, green and blue, 0 to 255.
struct Colour {
  int red = 0, green = 0, blue = 0;
};

inline constexpr Index colours = 24;  ///< consecutive processes with different colours

/// The colour of a process. Eight hues also differ in lightness, for readers who cannot distinguish all hues. Then the
/// same hues follow lighter and darker, shifted so that processes p and p + 8 differ in hue too.
Colour process_colour(Index process);

/// True if black is easier to read on this colour than white.
bool takes_black(Colour colour);

std::string hex(Colour colour);      ///< in CSS notation: "#1f77b4"
int terminal_number(Colour colour);  ///< the nearest of the 6 x 6 x 6 colours of a terminal with 256 colours

/// What makes a terminal write on a process's colour, and what ends it.
std::string terminal_background(Index process);
inline constexpr const char* terminal_end = "\x1b[0m";

}  // namespace tridap::drawing

#pragma GCC visibility pop
